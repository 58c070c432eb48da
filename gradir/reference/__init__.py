"""The reference interpreter: the specification, executed with NumPy. Plain and slow on purpose."""
