"""Two documents of decisions (`fiche-decision/1`): what differs, and what a moved verdict's own words lead to.

Nothing is judged again: a document has verdicts and no files to try them with. The documents were checked for
their form (`cli.diff_read`): here their keys are there and of their kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fiche.evaluate.difference import Statuses, Verdict, moved, renames, standings
from fiche.evaluate.difference_changes import Edit, Spoken, edits
from fiche.evaluate.difference_moves import Asked
from fiche.evaluate.difference_parts import Key
from fiche.evaluate.difference_purchase import beside, value
from fiche.evaluate.difference_told import Told
from fiche.kernel.difference import Difference, Move, Side
from fiche.kernel.record import replace

Document = Mapping[str, Any]
_SAID = ("title", "date", "author", "illustrative", "language")
# Of a piece: what it is and what was typed for it; its digest stands for all that is read in it.
_OF_A_PIECE = ("file", "sha256", "kind", "version", "date", "valid_until", "machine", "run")
_OF_A_CANDIDATE = ("gpu", "offer", "seller", "machine", "baseline")
_FILES = frozenset({"catalog", "offers", "model"})


def documents(first: tuple[str, str, Document], second: tuple[str, str, Document]) -> Difference:
    """Each side is its name, its kind (fiche or decision) and its document."""
    old, new = spoken(first[2]), spoken(second[2])
    found = edits(old, new)
    names = renames(found)
    moves, asked, reworded = moved(_given(first[2]), _given(second[2]), names)
    return Difference(
        before=_side(*first),
        after=_side(*second),
        changes=tuple(edit.change for edit in found),
        moves=tuple(_named(move, found, first[2], second[2]) for move in moves),
        standings=standings(_statuses(first[2]), _statuses(second[2]), names),
        asked=asked,
        reworded=reworded,
        rejudged=False,
    )


def _side(name: str, kind: str, document: Document) -> Side:
    return Side(
        name=name,
        kind=kind,
        title=document["title"],
        date=document["date"],
        tool=document["tool"]["version"],
    )


def _given(document: Document) -> dict[Asked, Verdict]:
    return {
        (f["candidate"], f["requirement"], f["case"], f["device"]): Verdict(
            code=f["verdict"], reason=f["reason_code"]
        )
        for f in document["findings"]
    }


def _statuses(document: Document) -> Statuses:
    return {one["id"]: (one["status"], one["rank"]) for one in document["candidates"]}


# --- What is said -------------------------------------------------------------------------------


def spoken(document: Document) -> dict[Key, Spoken]:
    """Every part of a document as words, under the kinds that a fiche's own parts have."""
    numbers = {figure["id"]: figure for figure in document["figures"]}
    found: dict[Key, Spoken] = {("tool", "version"): Spoken({"": document["tool"]["version"]})}
    for name in _SAID:
        found["fiche", name] = Spoken({"": document[name]})
    found.update(_workload(document["workload"], numbers))
    for one in document["requirements"]:
        if not one["implied"]:
            found["requirement", one["id"]] = _requirement(one, numbers)
    for one in document["candidates"]:
        found["candidate", one["id"]] = _candidate(one, numbers)
    found.update(_listed("offer", numbers))
    found.update(_listed("card", numbers))
    for one in document["pieces"]:
        found["piece", one["id"]] = _piece(one)
    found.update(_policy(document["policy"], numbers))
    for one in document["inputs"]:
        if one["role"] in _FILES:
            found["input", one["file"]] = Spoken({"sha256": one["sha256"]})
    found.update(beside(document, numbers))
    for one in document["invalidated_by"]:
        found["invalidated_by", one["value"]] = Spoken({"": one["value"]})
    return found


def _workload(load: Document, numbers: Mapping[str, Any]) -> Iterator[tuple[Key, Spoken]]:
    for path, fact in load["facts"].items():
        yield ("workload", path), Spoken({"": fact["value"]})
    for path, name in load["figures"].items():
        yield ("workload", path), _number(name, numbers)
    for case in load["cases"]:
        words = {"role": case["role"], "phases": ", ".join(case["phases"])}
        yield ("workload", f"cases.{case['id']}"), Spoken(words)
        for dimension, name in case["dimensions"].items():
            yield ("workload", f"cases.{case['id']}.{dimension}"), _number(name, numbers)
    for kind, names in (("assumption", load["reserve"]), ("margin", load["margin"])):
        for name in names:
            yield (kind, name), _number(name, numbers)
    targets = load.get("method_targets") or []
    if targets:
        yield ("workload", "method_targets"), Spoken({"": ", ".join(targets)})


def _number(name: str, numbers: Mapping[str, Any]) -> Spoken:
    figure = numbers.get(name, {})
    told: Told = {"": value(figure)}
    told |= {key: figure[key] for key in ("by", "because") if figure.get(key)}
    return Spoken(told, (name,))


def _requirement(one: Document, numbers: Mapping[str, Any]) -> Spoken:
    told: Told = {"kind": one["kind"], "level": one["level"]}
    told |= {"cases": ", ".join(one["cases"])} if one["cases"] else {}
    told |= {key: fact["value"] for key, fact in one["facts"].items()}
    return _with(told, one["figures"], numbers)


def _with(told: Told, figures: Mapping[str, str], numbers: Mapping[str, Any]) -> Spoken:
    told = {**told, **{key: value(numbers.get(name, {})) for key, name in figures.items()}}
    return Spoken(told, tuple(figures.values()))


def _candidate(one: Document, numbers: Mapping[str, Any]) -> Spoken:
    told: Told = {key: one[key] for key in _OF_A_CANDIDATE if one.get(key)}
    change = one.get("change")
    if change is not None:
        told["change"] = f"{change['path']}: {change['from']} -> {change['to']}"
    if one.get("other_users") is not None:
        told["other_users"] = one["other_users"]["value"]
    return _with(told, {"cards": one["cards"]}, numbers)


def _piece(one: Document) -> Spoken:
    told: Told = {key: str(one[key]) for key in _OF_A_PIECE if one.get(key)}
    told |= {f"scope.{path}": fact["value"] for path, fact in one["scope"].items()}
    return Spoken(told)


def _listed(kind: str, numbers: Mapping[str, Any]) -> Iterator[tuple[Key, Spoken]]:
    """What a row of a catalog or an offer states: its numbers, by its id."""
    rows: dict[str, dict[str, str]] = {}
    for name, figure in numbers.items():
        start, _, rest = name.partition(".")
        if start == kind and "." in rest and "expression" not in figure:
            owner, _, key = rest.partition(".")
            rows.setdefault(owner, {})[key] = name
    for owner, figures in rows.items():
        yield (kind, owner), _with({}, figures, numbers)


def _policy(policy: Document, numbers: Mapping[str, Any]) -> Iterator[tuple[Key, Spoken]]:
    for name, rule in policy.items():
        if isinstance(rule, Mapping):
            for key, entry in rule.items():
                yield ("policy", f"{name}.{key}"), Spoken({"": _entry(entry, numbers)})
        elif rule is not None:
            yield ("policy", name), Spoken({"": _entry(rule, numbers)})


def _entry(entry: object, numbers: Mapping[str, Any]) -> str:
    if isinstance(entry, list):
        return ", ".join(str(each) for each in entry)
    return value(numbers[entry]) if isinstance(entry, str) and entry in numbers else str(entry)


# --- What a verdict's own words lead to ---------------------------------------------------------


def _named(move: Move, found: Iterable[Edit], first: Document, second: Document) -> Move:
    """The changes that the finding names: its pieces, its requirement, its numbers down to the first ones."""
    one_sided = move.before is None or move.after is None
    own = {f"candidate:{move.candidate}", f"requirement:{move.requirement}"}
    whole = [e.change.id for e in found if e.change.id in own and e.change.what != "changed"]
    if one_sided and whole:  # it came or went with the thing itself
        return replace(move, how="named", by=tuple(whole))
    led = _led(move, first) | _led(move, second)
    by = tuple(edit.change.id for edit in found if led & _called(edit))
    return replace(move, how="named" if by else "unattributed", by=by)


def _called(edit: Edit) -> set[str]:
    """What a finding may name of a change; a dimension of a case goes with its case."""
    named = {f"{kind}:{name}" for kind, name in edit.keys}
    cases = {name.split(".")[1] for kind, name in edit.keys if name.startswith("cases.")}
    return {
        *named,
        *(f"case:{name}" for name in cases),
        *(f"figure:{name}" for name in edit.change.figures),
    }


def _led(move: Move, document: Document) -> set[str]:
    found = {f"candidate:{move.candidate}", f"requirement:{move.requirement}"}
    for one in document["findings"]:
        asked = (one["candidate"], one["requirement"], one["case"], one["device"])
        if asked == (move.candidate, move.requirement, move.case, move.device):
            found |= {f"piece:{name}" for name in one["pieces"]}
            found |= {f"case:{one['case']}"} if one["case"] else set()
            found |= {f"figure:{name}" for name in _leaves(one, document)}
            found |= _by_rule(one["kind"], document)
            found |= _by_offer(one, document)
            found |= {"fiche:date"} if one["reason_code"] == "stale" else set()
    return found


def _by_rule(kind: str, document: Document) -> set[str]:
    """The strict facts of a criterion, and the rule's own list of them."""
    strict = document["policy"]["strict"]
    lists = [name for name in strict if name.partition(".")[0] == kind]
    paths = {path for name in lists for entry in strict[name] for path in entry.split("|")}
    return {*(f"workload:{path}" for path in paths), *(f"policy:strict.{name}" for name in lists)}


def _by_offer(finding: Document, document: Document) -> set[str]:
    """What is sold is compared by these kinds alone, and they ask what holds on the date."""
    if finding["kind"] not in ("cost", "delivery"):
        return set()
    offers = (o["offer"] for o in document["candidates"] if o["id"] == finding["candidate"])
    return {"fiche:date", *(f"offer:{name}" for name in offers if name)}


def _leaves(finding: Document, document: Document) -> set[str]:
    """The ids of every number that the two sides of a finding were computed from."""
    numbers = {figure["id"]: figure for figure in document["figures"]}
    waiting = [side["id"] for side in (finding["need"], finding["have"], finding["margin"]) if side]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(numbers.get(name, {}).get("inputs", ()))
    return seen
