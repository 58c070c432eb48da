"""The benchmarks: this compiler against NumPy, PyTorch, JAX and others (`tools/bench/run`).

What makes figures comparable:

- All run the same formulas on the same arrays, and their results are compared before their times.
- A peer has a process of its own for each number of threads; a single thread is pinned to one CPU.
- Everyone's fastest form counts: loops compiled as a whole where a peer can, results into arrays
  that are there, arguments prepared once. The call itself is always part of the time.
- Times are medians of samples. Beside each stands `foreign`, the cores that other programs used
  meanwhile; above a limit the row is not to be counted.
"""
