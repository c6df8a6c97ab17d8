"""The words that messages of failure hold: what their importers search a text for, and an excerpt keeps."""

from __future__ import annotations

from fiche.importers._scan import Word

TORCH = (
    Word(b"allocate", (b"to", b"NOT"), reach=60),
    Word(
        b"memory",
        (b"of", b"allowed"),
        (b"CUDA", b"HIP", b"XPU", b"MPS", b"rror", b"ailure", b"exceed"),
        reach=200,
        adjacent=True,  # every step of a training log prints something of memory
    ),
    Word(b"MEMORY", (b"OUT_OF",), reach=16),
    Word(b"ALLOC_FAILED"),
    Word(b"MemoryAllocation", (b"Error",), reach=5),
    Word(b"OutOfMemory", (b"hipError",), reach=8),
    Word(b"AllocFailed", (b"Status",), reach=6),
    Word(b"memory_error", (b"rocblas",), reach=16),
    Word(b"calloc", (b"CUDA",)),
    Word(b"Allocation on device", (b"OutOfMemoryError",), reach=60),
    Word(b"STATUS_NOT_SUPPORTED", (b"CUDNN",), reach=16),
    Word(b"PT_DEVMEM"),
)
HOST = (
    Word(b"CPUAllocator"),
    Word(b"memory:", (b"allocate", b"enough")),
    Word(b"to allocate", (b"you",)),
    Word(b"posix_memalign(&data"),
    Word(b"Torch: not enough"),
    Word(b"mmap", (b"unable",)),
    Word(b"oom-kill"),
    Word(b"oom_kill"),
    Word(b"OOMKilled"),
    Word(b"TERM_MEMLIMIT"),
    Word(b"memory: Kill"),
    Word(b": Out Of Memory", (b"srun",)),
    Word(b"running low on memory"),
)
# A process that something killed; memory is the usual reason.
KILLED = (
    Word(b"Killed"),
    Word(b"killed"),
    Word(b"137", (b"xit",)),
    Word(b"137", (b"Error",), (b"***",), 160),  # of make
    Word(b"SIGKILL: 9"),
    Word(b" -9", (b"xit",)),
    Word(b"(SIGKILL)"),
)
ON_CHIP = (
    Word(b"resource", (b"out", b"of")),
    Word(b"resources", (b"many",)),
    Word(b"shared data", (b"much",)),
)
ALL = (*TORCH, *HOST, *KILLED, *ON_CHIP)


def anchors(words: tuple[Word, ...]) -> tuple[bytes, ...]:
    """The byte strings of which each message holds at least one."""
    return tuple(dict.fromkeys(word.word for word in words))
