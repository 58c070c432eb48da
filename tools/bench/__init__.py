"""The benchmarks: this compiler against NumPy, PyTorch, JAX and others (see `run`)."""
