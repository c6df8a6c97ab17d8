"""The `fiche` process: it starts with few collections, and ends without taking itself down.

Python takes a module down object by object before it leaves; for a compiler that has written its
files and flushed its streams, that is a tenth of the run and does nothing for anybody.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys

from fiche.cli.interrupt import end_when_asked
from fiche.cli.streams import open_closed

# A compiler makes many values and few cycles: collecting every 700 values is a tenth of a check, and every
# 100 000 still a twentieth.
_FEW_COLLECTIONS = 1_000_000


def main() -> None:
    """Run the command line; a defect of ours still ends in a traceback and exit code 1."""
    gc.set_threshold(_FEW_COLLECTIONS)
    end_when_asked()
    open_closed()
    try:
        from fiche.cli.main import run

        run()
    except SystemExit as ended:
        _leave(ended.code)


def _leave(code: str | int | None) -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code if isinstance(code, int) else 0)
