"""Out-of-memory messages as torch composes them, and the ways in which they are damaged."""

import textwrap

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
ADVICE = (
    " If reserved but unallocated memory is large try setting "
    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for "
    "Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
)
FIGURES = {
    "requested": "1.13 GiB",
    "total_capacity": "23.64 GiB",
    "free": "894.44 MiB",
    "process_in_use": "22.76 GiB",
    "allocated": "20.31 GiB",
    "in_private_pools": "19.00 MiB",
    "reserved_unallocated": "1.96 GiB",
}
OTHERS = [(40213, "612.00 MiB")]
CLASS = "torch.OutOfMemoryError: "


def sentence(device=3, pid=40213, **changed):
    """The message of torch 2.5 and later, every part present."""
    f = {**FIGURES, **changed}
    return (
        f"CUDA out of memory. Tried to allocate {f['requested']}. GPU {device} has a total capacity of "
        f"{f['total_capacity']} of which {f['free']} is free. Process {pid} has 612.00 MiB memory in "
        f"use. Including non-PyTorch memory, this process has {f['process_in_use']} memory in use. Of "
        f"the allocated memory {f['allocated']} is allocated by PyTorch, with {f['in_private_pools']} "
        f"allocated in private pools (e.g., CUDA Graphs), and {f['reserved_unallocated']} is reserved "
        f"by PyTorch but unallocated."
    )


def brackets(device=0):
    """The message of torch 1.5 to 2.0."""
    return (
        f"CUDA out of memory. Tried to allocate 978.00 MiB (GPU {device}; 14.76 GiB total capacity; "
        "12.61 GiB already allocated; 387.75 MiB free; 13.31 GiB reserved in total by PyTorch)"
    )


def six_lines(device=0):
    """The message of cudaMallocAsync."""
    return (
        f"Allocation on device {device} would exceed allowed memory. (out of memory)\n"
        "Currently allocated     : 14.71 GiB\n"
        "Requested               : 768.00 KiB\n"
        "Device limit            : 15.99 GiB\n"
        "Free (according to CUDA): 27.06 MiB\n"
        "PyTorch limit (set by user-supplied memory fraction)\n"
        "                        : 17179869184.00 GiB"
    )


MPS = (
    "MPS backend out of memory (MPS allocated: 9.57 GiB, other allocations: 17.35 GiB, max allowed: "
    "27.20 GiB). Tried to allocate 292.50 MiB on private pool. Use "
    "PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit for memory allocations"
)
IPEX = (
    "XPU out of memory. Tried to allocate 1.71 GiB (GPU  0; 15.56 GiB total capacity; 176.00 MiB "
    "already allocated; 176.00 MiB reserved in total by PyTorch)"
)


def hard_wrapped(text, width):
    """Cut at a column, in the middle of words and figures, as terminals do."""
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


def soft_wrapped(text, width, prefix=""):
    """Broken at blanks, each line with the prefix of its program."""
    lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(prefix + line for line in lines)


def coloured(text):
    return " ".join(f"\x1b[1;31m{word}\x1b[0m" for word in text.split(" "))


def format_size(count):
    """As `c10::CachingAllocator::format_size` prints."""
    if count <= KIB:
        return f"{count} bytes"
    if count <= MIB:
        return f"{count / KIB:.2f} KiB"
    if count <= GIB:
        return f"{count / MIB:.2f} MiB"
    return f"{count / GIB:.2f} GiB"
