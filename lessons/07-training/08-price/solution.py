from itertools import pairwise


def price(n, kept):
    """[values alive at most, values computed again] for a chain of n layers."""
    borders = [0, *sorted(kept), n + 1]
    gaps = [high - low - 1 for low, high in pairwise(borders)]
    return [len(kept) + max(gaps), n - len(kept)]


def best(n):
    """The fewest values alive at once, over all choices of kept layers."""
    return min(k + -(-(n - k) // (k + 1)) for k in range(n + 1))
