"""What stands behind the verdicts: assumptions, limits, the rule in words, units (D5, law 8)."""

from __future__ import annotations

from collections.abc import Iterator

from fiche.kernel.figure import Node
from fiche.kernel.origin import Assumed, Stated
from fiche.report.desk import Desk, cell, columns, joined, row
from fiche.report.need import read_at
from fiche.report.parts import (
    Block,
    Code,
    Items,
    Missing,
    Paragraph,
    Parts,
    Quoted,
    Row,
    Section,
    Table,
    Words,
)


def assumptions(desk: Desk) -> Section:
    """Every guess with who holds it and why, and the stated margins with their reasons (D5)."""
    guesses = [n for n in desk.book.figures.values() if isinstance(n.origin, Assumed)]
    margins = [desk.book.of(margin) for margin in desk.decision.fiche.workload.margin]
    block: Block = Paragraph((Words(desk.word("assumptions_none")),))
    if guesses or margins:
        block = Table(
            id="assumed",
            caption=desk.word("assumptions_caption"),
            columns=columns(desk, "assumption", "value:number", "why", "who"),
            rows=tuple(_held(desk, node) for node in (*guesses, *margins)),
        )
    return Section(id="assumptions", title=desk.word("assumptions_title"), blocks=(block,))


def _held(desk: Desk, node: Node) -> Row:
    origin = node.origin
    because = origin.because if isinstance(origin, Assumed | Stated) else ""
    by = origin.by if isinstance(origin, Assumed) else desk.decision.fiche.author
    return row(
        cell((Quoted(node.label or node.id), Words(" "), Code(node.id))),
        cell(desk.listed(node), numeric=True),
        cell(Quoted(because) if because else Missing(desk.word("not_known"))),
        cell((Quoted(by), Words(", "), *read_at(desk, node))),
    )


def limits(desk: Desk) -> Section:
    """What the conclusion is about and no more, and what the pieces warn about."""
    fiche = desk.decision.fiche
    warnings: tuple[Parts, ...] = tuple(
        (Code(piece.id), Words(": "), Quoted(text))
        for piece in fiche.pieces
        for text in piece.reading.warnings
    )
    apart: tuple[Parts, ...] = tuple(
        (Code(piece.id), Words(": "), Quoted(text.text), Words(" — "), Quoted(text.reason))
        for piece in fiche.pieces
        for text in piece.reading.not_observed
    )
    blocks: list[Block] = [Paragraph((Words(desk.word("limit_scope")),))]
    for key, items in (("warnings", warnings), ("not_observed", apart)):
        if items:
            blocks += [Paragraph((Words(desk.word(key), strong=True),)), *_list(items)]
    return Section(id="limits", title=desk.word("limits_title"), blocks=tuple(blocks))


def _list(items: tuple[Parts, ...]) -> Iterator[Block]:
    if items:
        yield Items(items)


def method(desk: Desk) -> Section:
    """The policy by name and digest, and the rule that was applied, in words."""
    policy = desk.decision.fiche.policy
    named = desk.say(
        "policy",
        name=Code(policy.name),
        version=Code(policy.version),
        digest=Code(policy.sha256),
    )
    typed = desk.word("typed_counts" if policy.typed_scope == "counts" else "typed_alone")
    strict: list[Parts] = [
        (Words(f"{desk.term(criterion)}: ", strong=True), *joined([Code(fact) for fact in facts]))
        for criterion, facts in _strict(desk)
    ]
    spread = policy.machine_spread
    last = desk.say("spread", spread=desk.amount(spread)) if spread is not None else ()
    return Section(
        id="method",
        title=desk.word("method_title"),
        blocks=(
            Paragraph(named),
            Paragraph((Words(desk.word("rule")),)),
            Paragraph((Words(desk.word("folding") + " " + typed),)),
            Paragraph(
                (Words(desk.word("strict_facts")), *joined(strict, "; "), Words(". "), *last)
            ),
        ),
    )


def _strict(desk: Desk) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The lists that this fiche's requirements and operation call on; the policy has the others."""
    fiche = desk.decision.fiche
    operation = fiche.workload.facts.get("operation")
    kinds = {requirement.kind for requirement in fiche.requirements}
    for criterion, facts in fiche.policy.strict.items():
        kind, _, of = criterion.partition(".")
        if kind in kinds and (not of or (operation is not None and of == operation.value)):
            yield criterion, facts


def recheck(desk: Desk) -> Section:
    """Units; the renderer adds the attached files, whose bytes only it has."""
    return Section(
        id="recheck",
        title=desk.word("recheck_title"),
        blocks=(
            Items(tuple((Words(text),) for text in desk.language.glossary)),
            Paragraph((Words(desk.word("built_line")),)),
        ),
    )
