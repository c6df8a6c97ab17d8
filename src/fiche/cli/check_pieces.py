"""What `fiche check` says of pieces in text: which of them no verdict rests on, and what they warn about."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.cli.terminal import paragraph
from fiche.evaluate.unused import unused
from fiche.kernel.decision import Decision
from fiche.render.visible import visible

_SECRET = "secret_in_file:"
_ADVICE = "; whoever gets"


def pieces_text(decision: Decision) -> str:
    """Nothing where every piece is used and none warns."""
    return "".join(_paragraphs(decision))


def _paragraphs(decision: Decision) -> Iterator[str]:
    left = unused(decision)
    warned = {
        piece.id: piece.reading.warnings
        for piece in decision.fiche.pieces
        if piece.reading.warnings
    }
    if left or warned:
        yield "\n"
    for one in left:
        yield paragraph(f"{one.piece} is not used: {visible(one.why)}")
    for name, told in warned.items():
        for text in told:
            if text.startswith(_SECRET):
                yield paragraph(f"{name}: {text.partition(_ADVICE)[0]}")
    count = sum(map(len, warned.values()))
    if count:
        names = ", ".join(f"{name} {len(told)}" for name, told in warned.items())
        many = "1 warning" if count == 1 else f"{count} warnings"
        yield paragraph(f"{many} of pieces ({names}): `fiche report` and --json tell them")
