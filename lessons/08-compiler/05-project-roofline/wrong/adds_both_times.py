# expect: a matrix product
"""Adds the two times, as if memory and arithmetic could not work at once."""


def work(kernel):
    if kernel[0] == "matmul":
        _, m, k, n = kernel
        return 2 * m * n * k, 4 * (m * k + k * n + m * n)
    if kernel[0] == "map":
        _, inputs, n = kernel
        return n, 4 * (inputs + 1) * n
    return kernel[1], 4 * (kernel[1] + 1)


def roofline(kernels, peak, bandwidth):
    rows = []
    for kernel in kernels:
        flops, moved = work(kernel)
        bound = "compute" if flops / peak >= moved / bandwidth else "memory"
        time = flops / peak + moved / bandwidth
        rows.append({"flops": flops, "bytes": moved, "bound": bound, "time": time})
    total = sum(row["time"] for row in rows)
    slowest = max(range(len(rows)), key=lambda k: rows[k]["time"])
    return {"rows": rows, "total": total, "slowest": slowest, "fused": total}
