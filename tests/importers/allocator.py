"""What torch's allocator counts, and the table that it prints of it."""

BYTES = {
    "allocated_bytes": "Allocated memory",
    "active_bytes": "Active memory",
    "requested_bytes": "Requested memory",
    "reserved_bytes": "GPU reserved memory",
    "inactive_split_bytes": "Non-releasable memory",
}
COUNTS = {
    "allocation": "Allocations",
    "active": "Active allocs",
    "segment": "GPU reserved segments",
    "inactive_split": "Non-releasable allocs",
}
OVERSIZE = {
    "oversize_allocations": "Oversize allocations",
    "oversize_segments": "Oversize GPU segments",
}
STATS = ("current", "peak", "allocated", "freed")
POOLS = ("all", "large_pool", "small_pool")
IEC = ("B  ", "KiB", "MiB", "GiB", "TiB")
OLD = ("B ", "KB", "MB", "GB", "TB")


def stats(draw=lambda n: n * 3_456_789_012 // 7, ooms=0, retries=0):
    """Flat statistics; `draw(n)` gives the figure of the n-th key."""
    found, number = {}, 1
    for name in (*BYTES, *COUNTS):
        for stat in STATS:
            whole = draw(number) if name in BYTES else draw(number) >> 20
            found[f"{name}.all.{stat}"] = whole
            found[f"{name}.large_pool.{stat}"] = whole // 3 * 2
            found[f"{name}.small_pool.{stat}"] = whole - whole // 3 * 2
            number += 1
    found |= {f"{name}.{stat}": 0 for name in OVERSIZE for stat in STATS}
    found |= {"num_ooms": ooms, "num_alloc_retries": retries, "num_device_alloc": 7}
    return dict(sorted(found.items())) | {"max_split_size": -1}


def nested(flat):
    """The same as `memory_stats_as_nested_dict` has it."""
    found = {}
    for key, value in flat.items():
        *path, last = key.split(".")
        place = found
        for part in path:
            place = place.setdefault(part, {})
        place[last] = value
    return found


def asynchronous(flat):
    """What the backend cudaMallocAsync leaves of it."""
    kept = tuple(f"{name}_bytes.all" for name in ("allocated", "active", "reserved"))
    return {
        key: value if key.startswith(kept) and key.endswith(("current", "peak")) else 0
        for key, value in flat.items()
    }


def table(flat, device=0, labels=IEC, abbreviated=False, backend="CUDA"):
    """The 75-column table of `memory_summary`."""
    pools = POOLS[:1] if abbreviated else POOLS
    title = f"PyTorch {backend} memory summary, device ID {device:<17d}"
    ooms, retries = flat["num_ooms"], flat["num_alloc_retries"]
    lines = [
        "=" * 75,
        f"{'':18}{title} ",
        "-" * 75,
        f"{'':12}CUDA OOMs: {ooms:<12d} | {'':7}cudaMalloc retries: {retries:<8d}  ",
        "=" * 75,
        "        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  ",
    ]
    for name, label in (BYTES | COUNTS).items():
        lines.append("-" * 75)
        for pool in pools:
            shown = label if pool == "all" else f"      from {pool.replace('_', ' ')}"
            cells = [cell(flat, name, pool, stat, labels) for stat in STATS]
            lines.append(f" {shown:<21} | {' | '.join(cells)} ")
    for name, label in OVERSIZE.items():
        cells = [count(flat[f"{name}.{stat}"], 0) for stat in STATS]
        lines += ["-" * 75, f" {label:<21} | {' | '.join(cells)} "]
    return "".join(f"|{line}|\n" for line in [*lines, "=" * 75])


def cell(flat, name, pool, stat, labels):
    value, whole = flat[f"{name}.{pool}.{stat}"], flat[f"{name}.all.{stat}"]
    return count(value, whole) if name in COUNTS else amount(value, whole, labels)


def amount(value, whole, labels):
    power = next((n for n in range(len(labels)) if whole < 768 * 1024 ** (n + 1)), len(labels) - 1)
    return f"{value // 1024**power:6d} {labels[power]}"


def count(value, whole):
    power = next((n for n in range(3) if whole < 750 * 1000 ** (n + 1)), 2)
    return f"{value // 1000**power:7d} {' KM'[power]} "
