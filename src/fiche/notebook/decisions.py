"""A compiled fiche in a notebook: every criterion of every candidate, each number with its origin (D1)."""

from __future__ import annotations

from pathlib import Path

from fiche.cli.compile import compile_fiche
from fiche.kernel.decision import Decision, Outcome
from fiche.kernel.figure import Node
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.origin import Assumed, Computed, Declared, Observed, Simulated
from fiche.kernel.record import record
from fiche.notebook.markup import Told, block, heading, listed, table
from fiche.report.numbers import TERMINAL, fine, pair

_HEADER = ("candidate", "criterion", "needed", "available", "margin", "verdict", "what is open")
_VERDICTS = {
    Verdict.ADMISSIBLE: "● admissible",
    Verdict.TO_CONFIRM: "▲ to confirm",
    Verdict.EXCLUDE: "✕ excluded",
}
_STATUS = {"retained": "● retained", "to_confirm": "▲ to confirm", "excluded": "✕ excluded"}
_CAPTION = "Each must is judged alone; a candidate takes its worst. What nobody showed is open, never assumed."


def compiled(path: str | Path) -> Compiled:
    """Compile a fiche: load, judge and order, as `fiche check` does.

    Args:
        path: the fiche (YAML); nothing is written.

    Returns:
        Its decision; a notebook shows the table of verdicts.

    Raises:
        Refused: anything wrong with the fiche or with a file that it names.
    """
    return Compiled(path=str(path), decision=compile_fiche(Path(path)).decision)


@record
class Compiled:
    """A fiche and its decision, in which every figure has an origin."""

    path: str
    decision: Decision

    def __repr__(self) -> str:
        """The same as `fiche check` prints."""
        from fiche.render.text import check_text

        return check_text(self.decision, width=100, colour=False, encoding="utf-8")

    def _repr_html_(self) -> str:
        fiche = self.decision.fiche
        told = [
            f"{_STATUS[each.status]}: {each.candidate.id}, {each.candidate.gpu}"
            for each in self.decision.outcomes
        ]
        rows = [
            _row(outcome, found, is_first=place == 0)
            for outcome in self.decision.outcomes
            for place, found in enumerate(outcome.findings)
        ]
        below = f"dated {fiche.date}, as declared; policy {fiche.policy.name}"
        illustrative = f"Illustrative: {fiche.illustrative}" if fiche.illustrative else ""
        return block(
            heading(fiche.title, "; ".join(filter(None, (below, illustrative)))),
            listed("Candidates", told),
            table(_CAPTION, _HEADER, rows),
        )


def _row(outcome: Outcome, found: Finding, *, is_first: bool) -> tuple[Told, ...]:
    candidate = outcome.candidate
    where = " · ".join(filter(None, (found.case, found.device)))
    need, have = _compared(found)
    open_points = "; ".join(dict.fromkeys(each.text for each in found.conditions))
    return (
        Told(candidate.id, candidate.gpu) if is_first else Told(""),
        Told(found.kind, where),
        need,
        have,
        _amount(found.margin),
        Told(_VERDICTS[found.verdict], "" if found.level == "must" else "a wish"),
        Told(open_points or "nothing", ", ".join(found.pieces)),
    )


def _compared(found: Finding) -> tuple[Told, Told]:
    """Both cells in one unit; words where words are compared."""
    if found.need is None or found.have is None:
        return _amount(found.need, found.need_words), _amount(found.have, found.have_words)
    texts = pair(found.need, found.have, TERMINAL)
    return (
        Told(texts[0], origin_of(found.need), is_number=True),
        Told(texts[1], origin_of(found.have), is_number=True),
    )


def _amount(node: Node | None, words: str = "") -> Told:
    if node is None:
        return Told(words or "not known")
    return Told(fine(node, TERMINAL), origin_of(node), is_number=True)


def origin_of(node: Node) -> str:
    """Where a number comes from, in words."""
    match node.origin:
        case Observed(counter=counter, stat=stat):
            return f"observed: {counter}" + (f", {stat}" if stat else "")
        case Computed() | Simulated():
            return "computed"
        case Declared(by=by):
            return f"declared by {by}" if by else "declared"
        case Assumed(by=by):
            return f"assumed by {by}" if by else "assumed"
    return "stated by the fiche"
