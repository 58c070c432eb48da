"""How fast a list of kernels could be on a given machine."""


def work(kernel):
    """Floating-point operations, and bytes moved."""
    if kernel[0] == "matmul":
        return 0, 0
    if kernel[0] == "map":
        _, inputs, n = kernel
        return n, 4 * (inputs + 1) * n
    return 0, 0


def roofline(kernels, peak, bandwidth):
    rows = []
    for kernel in kernels:
        flops, moved = work(kernel)
        rows.append({"flops": flops, "bytes": moved, "bound": "memory", "time": moved / bandwidth})
    total = sum(row["time"] for row in rows)
    return {"rows": rows, "total": total, "slowest": 0, "fused": total}
