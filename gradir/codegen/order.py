"""The order in which roots are computed: that of their ids, but what frees memory goes first.

Any order that respects operands gives the same bits. Index checks and accesses to cells keep
their order among themselves, since the first that fails is reported (MEMORY-11).
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set


def memory_order(
    items: Sequence[int],
    reads: Mapping[int, Set[int]],
    size: Mapping[int, int],
) -> list[int]:
    """The items, reordered.

    `reads` are the items an item needs, by memory or by order; `size` the bytes of its result.
    Of the items that can be computed, one that frees at least as much as it takes comes first;
    else the one of least id.
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

    ready = [item for item in items if not waiting[item]]
    heapq.heapify(ready)
    frees: list[int] = []
    done: set[int] = set()
    order: list[int] = []
    while ready or frees:
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
