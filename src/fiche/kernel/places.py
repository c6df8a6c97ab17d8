"""Addresses as people write them: `chat.yaml:14:12`, or a piece's id with a line or a path."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.address import Address, Pointer
from fiche.kernel.decision import Fiche
from fiche.kernel.record import record


@record(kw_only=False)
class Places:
    """`pieces` leads from a digest to the id of the piece that has it."""

    pieces: Mapping[str, str]

    @classmethod
    def of(cls, fiche: Fiche) -> Places:
        """The pieces of a fiche by their digest; of two with equal bytes the first is named."""
        return cls({piece.sha256: piece.id for piece in reversed(fiche.pieces)})

    def of_address(self, address: Address | None) -> str | None:
        """`chat.yaml:14:12`, `run-4090#line 3`, or `sha256:…#line 3` for a file that is no piece."""
        if not isinstance(address, Pointer):
            return None if address is None else str(address)
        named = self.pieces.get(address.sha256, f"sha256:{address.sha256}")
        place = f"line {address.line}" if address.path is None else address.path
        return f"{named}#{place}"
