# expect: price(9, [5, 7])
# Counts the kept layer at a gap's end as part of the gap.
from itertools import pairwise


def price(n, kept):
    borders = [0, *sorted(kept), n]
    gaps = [high - low for low, high in pairwise(borders)]
    return [len(kept) + max(gaps), n - len(kept)]


def best(n):
    return min(k + -(-(n - k) // (k + 1)) for k in range(n + 1))
