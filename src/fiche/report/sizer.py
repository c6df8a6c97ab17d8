"""The sizer: which numbers of the load a reader may change, and what is computed from them again (F6).

Nothing is computed here: the traces of the decision go out as they are (`kernel.graph`), beside the words and
numbers of the fiche. What a reader changes is a what-if, which no verdict ever sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from fiche.kernel.comparison import CaseLoad
from fiche.kernel.decision import Decision
from fiche.kernel.figure import Figure, Node, Unknown
from fiche.kernel.graph import Graph, written
from fiche.kernel.origin import Assumed, Declared, Stated
from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE
from fiche.kernel.whatif import Offered, Room, WhatIf
from fiche.report import numbers
from fiche.report.desk import Desk
from fiche.report.parts import Report, Section
from fiche.report.sizer_parts import Sizer
from fiche.report.words._language import Language

_GIB = 2**30
_UNITS = (("GiB", _GIB), ("MiB", 2**20), ("KiB", 2**10))
_MAY_BE_NONE = ("prompt_tokens", "new_tokens", "images")
# What a script is given to write numbers and sentences with.
_SIGNS = ("decimal", "group", "space", "interval", "open", "unknown")
# Formulas may depend on these: they are asked anew, by another fiche or candidate.
_STRUCTURE = ("placement.", "duration")


def with_sizer(report: Report, decision: Decision, language: Language, asked: WhatIf) -> Report:
    """The report with a sizer behind the load that it asks again."""
    found = section(Desk.of(decision, language), asked)
    if found is None:
        return report
    places = [place for place, each in enumerate(report.sections, 1) if each.id == "load"]
    behind = places[0] if places else len(report.sections)
    sections = (*report.sections[:behind], found, *report.sections[behind:])
    return replace(report, sections=sections)


def section(desk: Desk, asked: WhatIf) -> Section | None:
    """The sizer, or None where no load has an item."""
    loads = [load for load in desk.decision.loads if load.items]
    if not loads:
        return None
    return Section(
        id="sizer",
        title=desk.word("sizer_title"),
        blocks=(
            Sizer(
                unscripted=desk.word("sizer_unscripted"), content=_Content(desk, asked, loads).all()
            ),
        ),
        place="annex",
    )


class _Content:
    """One sizer in the making: places in one graph, told by one desk."""

    def __init__(self, desk: Desk, asked: WhatIf, loads: list[CaseLoad]) -> None:
        self._desk = desk
        self._asked = asked
        self._loads = loads
        self._graph = Graph()

    def all(self) -> dict[str, Any]:
        """The whole of it. Formats come last: they stand in for what is in the graph before them."""
        cases = [self._case(load) for load in self._loads]
        rooms = [self._room(room) for room in self._asked.rooms if self._shown(room)]
        formats = self._formats()
        return {
            "style": {sign: getattr(self._desk.style, sign) for sign in _SIGNS},
            "words": {
                key.removeprefix("sizer_"): text
                for key, text in self._desk.language.phrases.items()
                if key.startswith("sizer_")
            },
            "start": self._start(),
            "owners": self._owners(),
            "cases": cases,
            "rooms": rooms,
            "formats": formats,
            "inputs": list(self._inputs()),
            "nodes": self._graph.entries,
        }

    # --- What comes out ---------------------------------------------------------------------

    def _case(self, load: CaseLoad) -> dict[str, Any]:
        desk = self._desk
        envelope = self._asked.envelopes.get((load.owner, load.case))
        rows = [self._row(_label(desk, item.node), item.node) for item in load.items]
        for each in load.phases:
            label = desk.word("sizer_phase").format(phase=desk.term(each.phase))
            rows.append({**self._row(label, each.total), "kind": "phase"})
        if envelope is not None:
            rows.append({**self._row(desk.word("sizer_envelope"), envelope), "kind": "envelope"})
        whole = self._asked.sums.get((load.owner, load.case))
        if whole is not None:
            rows.append({**self._row(desk.word("sizer_sum"), whole), "kind": "envelope"})
        left = () if envelope is None else envelope.left_out
        return {
            "owner": load.owner,
            "case": load.case,
            "label": _titled(desk, load.case),
            "rows": rows,
            "left_out": [desk.told(words) for words in left],
        }

    def _row(self, label: str, node: Node) -> dict[str, Any]:
        return {"label": label, "place": self._graph.enter(node), "now": self._amount(node)}

    def _amount(self, node: Node) -> str:
        return numbers.amount(node, self._desk.style)

    def _shown(self, room: Room) -> bool:
        return any((each.owner, each.case) == (room.owner, room.case) for each in self._loads)

    def _room(self, room: Room) -> dict[str, Any]:
        low, high = room.have_low, room.have_high
        return {
            "candidate": room.candidate,
            "owner": room.owner,
            "case": room.case,
            "device": room.device,
            "least": None if room.least is None else self._graph.enter(room.least),
            "most": None if room.most is None else self._graph.enter(room.most),
            "low": None if low is None else written(low.low),
            "high": None if high is None or high.high is None else written(high.high),
            "guard": written(room.guard),
            "have": self._have(low, high),
        }

    def _have(self, low: Figure | None, high: Figure | None) -> str:
        desk, style = self._desk, self._desk.style
        least = "" if low is None else numbers.memory(low.low, "GiB", style)
        if high is None or high.high is None:
            told = desk.word("sizer_least").format(amount=least)
            return told if least else desk.word("sizer_unknown")
        most = numbers.memory(high.high, "GiB", style)
        if not least:
            label = isinstance(high.origin, Declared)
            key = "sizer_most_label" if label else "sizer_most"
            return desk.word(key).format(amount=most)
        return least if least == most else desk.word("sizer_both").format(least=least, most=most)

    # --- What is shown ----------------------------------------------------------------------

    def _start(self) -> dict[str, str]:
        """The case to begin with: of those that cards are judged on, the one that asks for most."""
        judged = {(room.owner, room.case) for room in self._asked.rooms}
        first = self._loads[0].owner
        own = [load for load in self._loads if load.owner == first]
        asked = [load for load in own if (first, load.case) in judged] or own
        most = max(asked, key=lambda load: max((p.total.low for p in load.phases), default=0))
        return {"owner": first, "case": most.case}

    def _owners(self) -> list[dict[str, str]]:
        names = dict.fromkeys(load.owner for load in self._loads)
        return [{"owner": name, "label": self._owner(name)} for name in names]

    def _owner(self, name: str) -> str:
        desk = self._desk
        if not name:
            return desk.word("sizer_load_own")
        told = [o.candidate.change for o in desk.decision.outcomes if o.candidate.id == name]
        change = told[0] if told else None
        if change is None:
            return desk.word("sizer_load_placed").format(candidate=name)
        path, _, value = change
        return desk.word("sizer_load_changed").format(candidate=name, path=path, value=value)

    # --- What is changed --------------------------------------------------------------------

    def _formats(self) -> list[dict[str, Any]]:
        """For storage and cache: each format, and by owner which places stand in for which."""
        places = {
            name: self._graph.named(name)[:]
            for each in self._asked.offered
            for name in each.changed
        }
        found: dict[str, dict[str, list[Any]]] = {}
        for each in self._asked.offered:
            by = {"owner": each.owner, "pairs": list(self._pairs(each, places))}
            found.setdefault(each.key, {}).setdefault(each.name, []).append(by)
        return [
            {
                "key": key,
                "label": self._desk.word(f"sizer_{key}"),
                "now": self._stated(key),
                # As many bits as the fiche's own everywhere: nothing would change.
                "options": [
                    {"name": name, "by": by}
                    for name, by in options.items()
                    if any(each["pairs"] for each in by)
                ],
            }
            for key, options in found.items()
        ]

    def _pairs(self, offered: Offered, places: dict[str, list[int]]) -> Iterator[list[int]]:
        for name, node in offered.changed.items():
            for place in places[name]:
                instead = self._graph.enter(node)
                if instead != place:
                    yield [place, instead]

    def _stated(self, key: str) -> str:
        told = self._desk.decision.fiche.workload.facts.get(f"formats.{key}")
        if told is None:
            return self._desk.word("sizer_unstated")
        return self._desk.word("sizer_stated").format(format=told.value)

    def _inputs(self) -> Iterator[dict[str, Any]]:
        for node in self._changeable():
            group, case = self._group(node.id)
            bytes_ = node.unit == BYTE
            yield {
                "id": node.id,
                "places": self._graph.named(node.id),
                "label": self._called(node, case),
                "group": group,
                "case": case,
                "unit": "B" if bytes_ else self._counted(node, case),
                "value": "" if isinstance(node, Unknown) else _typed(node, self._desk.style),
                "now": "" if isinstance(node, Unknown) else self._amount(node),
                "least": 0 if bytes_ or node.id.rpartition(".")[2] in _MAY_BE_NONE else 1,
            }

    def _changeable(self) -> Iterator[Node]:
        """What somebody stated or assumed, in the order of the fiche, then what is unknown."""
        load = self._desk.decision.fiche.workload
        stated: list[Figure] = list(load.figures.values())
        for case in load.cases:
            stated += case.dimensions.values()
        stated += [*load.reserve, *load.margin]
        for node in stated:
            if node.id in self._graph.leaves and _is_plain(node):
                yield node
        for leaf in self._graph.leaves.values():
            if isinstance(leaf, Unknown) and not _is_bits(leaf.id) and "/" not in leaf.id:
                yield leaf

    def _group(self, name: str) -> tuple[str, str | None]:
        """Of the model, of a case (with its id), or what is kept free."""
        load = self._desk.decision.fiche.workload
        if name in {item.id for item in (*load.reserve, *load.margin)}:
            return "kept", None
        for case in load.cases:
            if name.startswith(f"{case.id}."):
                return "case", case.id
        return ("case", "") if "." not in name and not load.cases else ("model", None)

    def _called(self, node: Node, case: str | None) -> str:
        desk = self._desk
        name = node.id.removeprefix(f"{case}.") if case else node.id
        if name in desk.language.dimensions:
            return desk.language.form(desk.language.dimensions[name], 2)
        return _label(desk, node)

    def _counted(self, node: Node, case: str | None) -> str:
        """What a count counts, where its label does not say so already."""
        style, called = self._desk.style, self._called(node, case).casefold()
        one, many = (numbers.word_of(node.unit, style, count) for count in (1, 2))
        return "" if one.casefold() in called or many.casefold() in called else many


def _titled(desk: Desk, case: str) -> str:
    """A case as a heading has it."""
    return desk.word("sizer_of_case").format(case=case) if case else desk.word("sizer_case_none")


def _label(desk: Desk, node: Node) -> str:
    """A label without its explanation, or the id."""
    told = desk.told(node.label)
    return told.partition(" (")[0].partition(":")[0] or node.id


def _is_plain(node: Figure) -> bool:
    """One whole number that formulas never branch on."""
    if node.id.startswith(_STRUCTURE) or _is_bits(node.id) or not node.exact:
        return False
    # With new tokens the end of a prefill is a sum of its own: a case that has none has no such sum.
    if node.id.rpartition(".")[2] == "new_tokens" and not node.low:
        return False
    countable = node.unit == BYTE or node.unit.is_count
    return countable and node.low.denominator == 1 and isinstance(node.origin, Stated | Assumed)


def _is_bits(name: str) -> bool:
    """Bits that follow from a format's name are chosen by that name."""
    return name.startswith("formats.") and name.endswith(".bits")


def _typed(node: Figure, style: numbers.Style) -> str:
    """A value as a reader would type it: `8192`, or `2.5 GiB`; always all of it."""
    if node.unit != BYTE:
        return str(node.low)
    for word, factor in _UNITS:
        if node.low >= factor and 100 * node.low % factor == 0:
            return f"{numbers.exact(Fraction(node.low, factor), style)} {word}"
    return f"{node.low} B"
