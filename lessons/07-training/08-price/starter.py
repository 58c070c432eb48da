def price(n, kept):
    """[values alive at most, values computed again] for a chain of n layers."""
    return [n, 0]  # as if everything were kept


def best(n):
    """The fewest values alive at once, over all choices of kept layers."""
    return n
