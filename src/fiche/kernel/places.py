"""Addresses as people write them: `chat.yaml:14:12`, or a piece's id with a line or a path."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.address import Address, Pointer
from fiche.kernel.decision import Fiche
from fiche.kernel.record import record


@record(kw_only=False)
class Places:
    """`pieces` leads from a digest to the id of the piece that has it, or to the name of a model's file."""

    pieces: Mapping[str, str]

    @classmethod
    def of(cls, fiche: Fiche) -> Places:
        """Pieces and the model's files by digest; of two with equal bytes the first is named."""
        files = {one.sha256: one.file for one in reversed(fiche.inputs) if one.role == "model"}
        return cls({**files, **{piece.sha256: piece.id for piece in reversed(fiche.pieces)}})

    def of_address(self, address: Address | None) -> str | None:
        """`chat.yaml:14:12`, `run-4090#line 3`, `model/config.json#/hidden_size`, `sha256:…#line 3`.

        A value of a file with one JSON document a line has both: `steps#line 3, /vram_allocated`.
        """
        if not isinstance(address, Pointer):
            return None if address is None else str(address)
        named = self.pieces.get(address.sha256, f"sha256:{address.sha256}")
        return f"{named}#{place_of(address)}"


def place_of(pointer: Pointer) -> str:
    """Where something stands in its file: `line 12`, a JSON pointer or another path, or both."""
    parts = (None if pointer.line is None else f"line {pointer.line}", pointer.path)
    return ", ".join(part for part in parts if part is not None)
