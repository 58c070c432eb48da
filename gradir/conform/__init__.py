"""The conformance suite: its files, its runner, and the executors it compares."""
