"""The shares of all nodes, added in the order in which they arrive."""


def shares(edges, y):
    # Visits the nodes from the highest number to the lowest. Is that the order that is asked for?
    result = [0.0] * len(edges)
    result[y] = 1.0
    for node in range(y, -1, -1):
        for operand, slope in edges[node]:
            result[operand] = result[node] * slope
    return result
