"""The performance dump of SGLang's diffusion server: `memory_checkpoints` of a request.

evidence_formats 4 (stored, pull request 18865): `{"before_forward": {"allocated_mb": ..., "reserved_mb": ...,
"peak_allocated_mb": ..., "peak_reserved_mb": ...}}`, of torch's allocator, two decimals. The allocator reserves
whole MiB: where `reserved_mb` is whole, mb is 2**20 bytes; where it is not, the unit is not certain.
"""

from __future__ import annotations

from collections.abc import Mapping

from fiche.importers import _json, _training
from fiche.importers._entries import is_document
from fiche.importers._figures import MIB, nearest
from fiche.importers._sheet import Sheet
from fiche.importers._unsupported import nothing_found
from fiche.kernel.doors import Importer
from fiche.kernel.piece import Reading
from fiche.kernel.said import tell

_KEY = "memory_checkpoints"
_ANCHORS = (b'"memory_checkpoints"', b'"reserved_mb"')
_FIGURES = {
    "allocated_mb": ("allocated_bytes", "current"),
    "reserved_mb": ("reserved_bytes", "current"),
    "peak_allocated_mb": ("allocated_bytes", "peak"),
    "peak_reserved_mb": ("reserved_bytes", "peak"),
}


def read(content: bytes, sha256: str) -> Reading:
    """Every checkpoint under its name, which is no phase.

    Raises:
        Refused: a broken document (F428), or no checkpoint in it (F424).
    """
    sheet = Sheet(sha256)
    for path, item in _json.walk(_json.document(content, sha256, "the performance dump")):
        if path and path[-1] == _KEY and isinstance(item, dict):
            for name, checkpoint in item.items():
                if isinstance(checkpoint, dict):
                    _note(sheet, (*path, name), name, checkpoint)
    if sheet.empty:
        raise nothing_found(content, sha256, "checkpoints of memory of SGLang's diffusion server")
    sheet.warn(_training.DEVICE)
    sheet.warn(_training.binary("mb", 20))
    return sheet.reading("sglang_diffusion", "perf-dump")


def _note(sheet: Sheet, path: _json.Path, name: str, told: Mapping[str, object]) -> None:
    held = _json.number(told.get("reserved_mb"))
    if held is None or held != held.to_integral_value():
        place = _json.pointer(sheet.sha256, path, "")
        sheet.plan(
            place,
            tell("memory_checkpoints.{name}", name=name)[:400],
            tell("its unit is not certain"),
        )
        return
    for key, (counter, stat) in _FIGURES.items():
        value = _json.number(told.get(key))
        if value is not None and value >= 0:
            sheet.see(
                _json.pointer(sheet.sha256, (*path, key), value),
                counter,
                nearest(f"{value:f}", " mb", MIB, 2),
                scope="process_allocator",
                stat=stat,
                label=name[:200],
            )


def accepts(content: bytes, name: str) -> int:
    """92 for a document with both keys."""
    return 92 if all(key in content for key in _ANCHORS) and is_document(content) else 0


MEMBER = Importer(
    name="sglang_diffusion",
    title="Performance dump of SGLang's diffusion server",
    accepts=accepts,
    read=read,
)
