"""How fast a list of kernels could be on a given machine."""


def work(kernel):
    """Floating-point operations, and bytes moved."""
    if kernel[0] == "matmul":
        _, m, k, n = kernel
        return 2 * m * n * k, 4 * (m * k + k * n + m * n)
    if kernel[0] == "map":
        _, inputs, n = kernel
        return n, 4 * (inputs + 1) * n
    return kernel[1], 4 * (kernel[1] + 1)


def fuse(kernels):
    """Kernels as (operations, bytes), with each map that follows on a map joined to it."""
    works, before = [], None
    for kernel in kernels:
        flops, moved = work(kernel)
        if kernel[0] == "map" and before == "map":
            saved = 2 * 4 * kernel[2]
            works[-1] = (works[-1][0] + flops, works[-1][1] + moved - saved)
        else:
            works.append((flops, moved))
        before = kernel[0]
    return works


def roofline(kernels, peak, bandwidth):
    rows = []
    for kernel in kernels:
        flops, moved = work(kernel)
        busy, waiting = flops / peak, moved / bandwidth
        bound = "compute" if busy >= waiting else "memory"
        rows.append({"flops": flops, "bytes": moved, "bound": bound, "time": max(busy, waiting)})
    total = 0.0
    for row in rows:
        total += row["time"]
    slowest = max(range(len(rows)), key=lambda k: rows[k]["time"])
    fused = 0.0
    for flops, moved in fuse(kernels):
        fused += max(flops / peak, moved / bandwidth)
    return {"rows": rows, "total": total, "slowest": slowest, "fused": fused}
