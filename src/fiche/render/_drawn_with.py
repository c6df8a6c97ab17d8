"""Which programs laid out the pages of a PDF: other versions may give other bytes for the same report."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

# Of cffi, which has no types here: a library that is open already.
Foreign: TypeAlias = Any


@cache
def drawn_with() -> str:
    """`WeasyPrint 70.0, Pango 1.50.12, HarfBuzz 6.0.0`, as far as they say; only where they can be loaded."""
    import weasyprint
    from weasyprint.text.ffi import pango

    told = [f"WeasyPrint {weasyprint.__version__}", f"Pango {_dotted(pango.pango_version())}"]
    harfbuzz = _harfbuzz()
    return ", ".join([*told, f"HarfBuzz {harfbuzz}"] if harfbuzz else told)


def _dotted(number: int) -> str:
    """Pango's own form: 15012 is 1.50.12."""
    return f"{number // 10_000}.{number // 100 % 100}.{number % 100}"


def _harfbuzz() -> str:
    """The library that Pango has loaded says its version through any door to it."""
    import cffi

    door = cffi.FFI()
    door.cdef("const char *hb_version_string(void);")
    for name in _NAMES:
        try:
            return str(door.string(door.dlopen(name).hb_version_string()).decode("ascii"))
        except (OSError, AttributeError):
            continue
    return ""


_NAMES = ("libharfbuzz.so.0", "libharfbuzz-0", "libharfbuzz-0.dll", "libharfbuzz.0.dylib")
