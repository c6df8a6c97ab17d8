"""A word that somebody wrote or a program printed, with its address: names, versions, formats."""

from __future__ import annotations

from fiche.kernel.address import Address, Pointer
from fiche.kernel.record import record

# Facts whose path is not the key that an author writes, by that path.
WRITTEN = {"process_protocol": "process"}

# What one phase saw of its tensors: facts of that phase alone, and no scope of a piece.
TENSORS = "tensors."


def written(path: str) -> str:
    """The key under which an author writes a fact."""
    return WRITTEN.get(path, path)


@record
class Fact:
    """A value that is not a number: `meta-llama/Llama-3.1-8B`, `bf16`, `0.28.0`, `excluded`.

    `address` is a Pointer when the file prints it, a Span when an author typed it; `by` names the
    person who attests a typed fact about a piece (scope, DESIGN 4).
    """

    value: str
    address: Address
    by: str = ""

    @property
    def printed(self) -> bool:
        """True when the piece itself says it, which is firm; False when a person attests it."""
        return isinstance(self.address, Pointer)
