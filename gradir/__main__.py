"""`python -m gradir`: the command line."""

from gradir.cli.main import entry

if __name__ == "__main__":
    entry()
