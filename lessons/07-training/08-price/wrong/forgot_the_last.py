# expect: behind the last
# Looks at the gaps before the kept layers only.
from itertools import pairwise


def price(n, kept):
    borders = [0, *sorted(kept)]
    gaps = [high - low - 1 for low, high in pairwise(borders)]
    return [len(kept) + max(gaps, default=n), n - len(kept)]


def best(n):
    return min(k + -(-(n - k) // (k + 1)) for k in range(n + 1))
