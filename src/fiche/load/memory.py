"""A bound on the memory that reading something of somebody else may take."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def within(num_bytes: int) -> Iterator[None]:
    """A block that may take so many bytes beside what is taken already, where the system can tell (Linux).

    Raises:
        MemoryError: it takes more.
    """
    mapped = _mapped()
    if mapped is None:
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = mapped + num_bytes
    for limit in (soft, hard):
        most = most if limit == resource.RLIM_INFINITY else min(most, limit)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _mapped() -> int | None:
    if not sys.platform.startswith("linux"):
        return None
    try:
        pages = Path("/proc/self/statm").read_bytes().split()[0]
    except OSError:
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
