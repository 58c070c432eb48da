"""The order in which roots are computed: that of their ids, but what frees memory goes first.

Any order that respects operands gives the same bits. Index checks and accesses to cells keep
their order among themselves, since the first that fails is reported (MEMORY-11).
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set

MAX_USERS = 16  # of a value whose users are looked at


def memory_order(
    items: Sequence[int],
    reads: Mapping[int, Set[int]],
    size: Mapping[int, int],
    space: Mapping[int, object],
) -> list[int]:
    """The items, reordered.

    `reads` are the items an item needs, by memory or by order; `size` the bytes of its result;
    `space` the loops that an item is computed in, if others may be computed in the same. Of the
    items that can be computed, one that frees more than it takes comes first; then one that reads
    what the last one read in the same loops, if it is needed by nothing but what is smaller and
    can be computed with it; else the one of least id.
    """
    users: dict[int, list[int]] = defaultdict(list)
    waiting = {item: len(reads[item]) for item in items}
    left: dict[int, int] = defaultdict(int)  # users of an item that are still to come
    for item in items:
        for needed in reads[item]:
            users[needed].append(item)
            left[needed] += 1

    def gain(item: int) -> int:
        return sum(size[n] for n in reads[item] if left[n] == 1) - size[item]

    def beside(item: int) -> int | None:
        """An item to be computed in the same loops as this one, which was the last."""
        for needed in sorted(reads[item]):
            if len(users[needed]) > MAX_USERS:
                continue
            for other in users[needed]:
                if (
                    other not in done
                    and not waiting[other]
                    and space.get(other) == space[item]
                    and all(waiting[u] == 1 and size[u] < size[other] for u in users[other])
                ):
                    return other
        return None

    ready = [item for item in items if not waiting[item]]
    heapq.heapify(ready)
    frees: list[int] = []
    done: set[int] = set()
    order: list[int] = []
    while ready or frees:
        near = beside(order[-1]) if order and order[-1] in space else None
        if near is not None:
            item = near
        else:
            item = heapq.heappop(frees) if frees else heapq.heappop(ready)
        if item in done:
            continue
        done.add(item)
        order.append(item)
        for user in users[item]:
            waiting[user] -= 1
            if not waiting[user]:
                heapq.heappush(frees if gain(user) > 0 else ready, user)
        for needed in reads[item]:
            left[needed] -= 1
            if left[needed] == 1:
                last = next(user for user in users[needed] if user not in done)
                if not waiting[last] and gain(last) > 0:
                    heapq.heappush(frees, last)
    return order
