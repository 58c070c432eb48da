"""What sharing saves: a dump's nodes, and its tree without sharing."""

import sys


def sharing(dump):
    """The numbers nodes, shared and tree of a dump."""
    nodes = len(dump.splitlines())
    return {"nodes": nodes, "shared": 0, "tree": nodes}


if __name__ == "__main__":
    print(sharing(sys.stdin.read()))
