# expect: a chain of maps
"""Fuses the sum into the map, too, which the task does not ask for."""


def work(kernel):
    if kernel[0] == "matmul":
        _, m, k, n = kernel
        return 2 * m * n * k, 4 * (m * k + k * n + m * n)
    if kernel[0] == "map":
        _, inputs, n = kernel
        return n, 4 * (inputs + 1) * n
    return kernel[1], 4 * (kernel[1] + 1)


def roofline(kernels, peak, bandwidth):
    rows, works, before = [], [], None
    for kernel in kernels:
        flops, moved = work(kernel)
        busy, waiting = flops / peak, moved / bandwidth
        bound = "compute" if busy >= waiting else "memory"
        rows.append({"flops": flops, "bytes": moved, "bound": bound, "time": max(busy, waiting)})
        if kernel[0] != "matmul" and before == "map":
            works[-1] = (works[-1][0] + flops, works[-1][1] + moved - 8 * kernel[-1])
        else:
            works.append((flops, moved))
        before = kernel[0]
    total = sum(row["time"] for row in rows)
    slowest = max(range(len(rows)), key=lambda k: rows[k]["time"])
    fused = sum(max(flops / peak, moved / bandwidth) for flops, moved in works)
    return {"rows": rows, "total": total, "slowest": slowest, "fused": fused}
