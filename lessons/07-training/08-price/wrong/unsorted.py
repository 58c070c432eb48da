# expect: in any order
from itertools import pairwise


def price(n, kept):
    borders = [0, *kept, n + 1]
    gaps = [high - low - 1 for low, high in pairwise(borders)]
    return [len(kept) + max(gaps), n - len(kept)]


def best(n):
    return min(k + -(-(n - k) // (k + 1)) for k in range(n + 1))
