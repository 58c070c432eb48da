# expect: a matrix product
"""Counts a multiply and an add as one operation."""


def work(kernel):
    if kernel[0] == "matmul":
        _, m, k, n = kernel
        return m * n * k, 4 * (m * k + k * n + m * n)
    if kernel[0] == "map":
        _, inputs, n = kernel
        return n, 4 * (inputs + 1) * n
    return kernel[1], 4 * (kernel[1] + 1)


def roofline(kernels, peak, bandwidth):
    rows = []
    for kernel in kernels:
        flops, moved = work(kernel)
        busy, waiting = flops / peak, moved / bandwidth
        bound = "compute" if busy >= waiting else "memory"
        rows.append({"flops": flops, "bytes": moved, "bound": bound, "time": max(busy, waiting)})
    total = sum(row["time"] for row in rows)
    slowest = max(range(len(rows)), key=lambda k: rows[k]["time"])
    return {"rows": rows, "total": total, "slowest": slowest, "fused": total}
