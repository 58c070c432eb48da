# expect: in any order
def price(n, kept):
    borders = [0, *kept, n + 1]
    gaps = [high - low - 1 for low, high in zip(borders, borders[1:])]
    return [len(kept) + max(gaps), n - len(kept)]


def best(n):
    return min(k + -(-(n - k) // (k + 1)) for k in range(n + 1))
