# expect: best(12)
# Takes the square root rule for an exact one.
from itertools import pairwise


def price(n, kept):
    borders = [0, *sorted(kept), n + 1]
    gaps = [high - low - 1 for low, high in pairwise(borders)]
    return [len(kept) + max(gaps), n - len(kept)]


def best(n):
    return 2 * round(n**0.5) - 1
