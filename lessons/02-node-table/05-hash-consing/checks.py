"""What the cases of this exercise check beyond equality."""


def doubled_chain(ids):
    """None if the ids are 0, 1, 1, 2, 2, …, 10000, 10000; else what is wrong."""
    wanted = [0] + [k + 1 for k in range(10000) for _ in range(2)]
    if ids == wanted:
        return None
    if not isinstance(ids, list) or len(ids) != len(wanted):
        return "build must return one id for each of the 20001 statements"
    place = next(i for i, (a, b) in enumerate(zip(ids, wanted, strict=True)) if a != b)
    return f"statement {place} should have the id {wanted[place]}, not {ids[place]}"
