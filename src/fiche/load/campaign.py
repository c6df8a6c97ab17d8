"""A campaign file: its shape by `schemas/campaign.schema.json`, then what its names stand for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from fiche.kernel.campaign import Campaign, CampaignCase, Cluster, Option, Variant
from fiche.kernel.diagnostic import Refused
from fiche.load.fault import Faults
from fiche.load.folder import YAML_LIMIT, UnreadableError, read_file
from fiche.load.node import Entry, Mapping, Node, Scalar, Sequence
from fiche.load.references import Known, nearest
from fiche.load.schema import check
from fiche.load.source import Source, source
from fiche.load.tree import parse
from fiche.load.values import unique

# Stand for the folder and the id of the job; every other {name} is a variable.
_OWN = ("folder", "run")
_NAMED = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_MINUTES = 60


def load_campaign(path: Path, measured: Collection[str] = ()) -> Campaign:
    """Read a campaign file, and from the fiche that it names the ids of its cases.

    `measured` are the options of `fiche measure`, where they are known: then others are refused (F563).

    Raises:
        Refused: the file or the fiche cannot be read, is no YAML, or not what its schema says; a case or
            a variant stands twice (F306); the fiche has no such case (F307); a variable is named nowhere
            else, or a variant changes nothing (F563).
    """
    try:
        content = read_file(path, str(path), YAML_LIMIT)
    except UnreadableError as problem:
        raise Refused([problem.told]) from None
    try:
        return _campaign(source(path.name, content), path.parent, measured)
    except Refused as refused:
        raise Refused(refused.diagnostics, folder=refused.folder or str(path.parent)) from None


def _campaign(text: Source, folder: Path, measured: Collection[str]) -> Campaign:
    faults = Faults()
    root = parse(text)
    check(root, "campaign", faults)
    faults.stop()
    assert isinstance(root, Mapping)
    fiche = _fiche(root, folder, faults)
    cases = _cases(root, fiche, faults)
    variants = _variants(root, faults)
    _check_variables(root, measured, faults)
    faults.stop()
    return _built(root, text.sha256, cases, variants, fiche.sha256 if fiche is not None else "")


def _built(
    root: Mapping,
    sha256: str,
    cases: tuple[CampaignCase, ...],
    variants: tuple[Variant, ...],
    fiche: str,
) -> Campaign:
    run, limits = root.mapping("run"), root.mapping("limits")
    return Campaign(
        id=root.text("id"),
        sha256=sha256,
        title=root.text("title"),
        output=root.text("output") or root.text("id"),
        options=_options(run.mapping("variables") if "run" in root else root.mapping("measure")),
        command=tuple(word.text for word in run.scalars("command")),
        command_options=_options(run.mapping("options")),
        fiche=root.mapping("from").text("fiche"),
        fiche_sha256=fiche,
        cases=cases,
        variants=variants,
        baseline=_switch(root, "baseline", otherwise=True),
        cross=_switch(root, "cross", otherwise=False),
        repeat_process=_whole(root, "repeat_process", 1),
        seed=int(root.text("seed")) if "seed" in root else None,
        executor=root.text("executor") or "local",
        gpus=_whole(root, "gpus", 1),
        parallel=int(limits.text("parallel")) if "parallel" in limits else None,
        minutes=_whole(limits, "minutes", _MINUTES),
        cluster=_cluster(root.mapping("slurm")),
        candidate=root.text("candidate"),
    )


def _cluster(node: Mapping) -> Cluster:
    told = {
        name: _option(entry.value) for name, entry in node.mapping("parameters").entries.items()
    }
    return Cluster(
        partition=node.text("partition"),
        setup=tuple(line.text for line in node.scalars("setup")),
        parameters={name: value for name, value in told.items() if not isinstance(value, tuple)},
    )


def _switch(node: Mapping, key: str, *, otherwise: bool) -> bool:
    return node.text(key).lower() == "true" if key in node else otherwise


def _whole(node: Mapping, key: str, otherwise: int) -> int:
    return int(node.text(key)) if key in node else otherwise


def _options(node: Mapping) -> dict[str, Option]:
    return {name: _option(entry.value) for name, entry in node.entries.items()}


def _option(node: Node) -> Option:
    """A word as it is written; `true` and `false` without quotes are switches."""
    if isinstance(node, Sequence):
        return tuple(each.text for each in node.items if isinstance(each, Scalar))
    assert isinstance(node, Scalar)
    return node.text.lower() == "true" if node.kind == "bool" else node.text


# --- The fiche --------------------------------------------------------------------------------


def _fiche(root: Mapping, folder: Path, faults: Faults) -> _Fiche | None:
    if "from" not in root:
        return None
    name = root.mapping("from").scalar("fiche")
    try:
        content = read_file(folder / name.text, name.text, YAML_LIMIT)
    except UnreadableError as problem:
        faults.add(problem.code, problem.message, name.span, problem.hint)
        faults.stop()
        raise
    try:
        return _Fiche(source(name.text, content))
    except Refused as refused:
        raise Refused(refused.diagnostics, folder=str(folder)) from None


class _Fiche:
    """The ids of a fiche's cases, and its digest: the rest is read by the job that measures."""

    def __init__(self, text: Source) -> None:
        faults = Faults()
        root = parse(text)
        check(root, "fiche", faults)
        faults.stop()
        assert isinstance(root, Mapping)
        self.sha256 = text.sha256
        self.cases = tuple(each.text("id") for each in root.mapping("workload").each("cases"))


def _cases(root: Mapping, fiche: _Fiche | None, faults: Faults) -> tuple[CampaignCase, ...]:
    if fiche is None:
        return tuple(
            CampaignCase(id=case.text("id"), options=_options(case.mapping("set")))
            for case in unique(root.each("cases"), "case", faults)
        )
    known = Known("case", fiche.cases, "F307")
    asked = tuple(root.mapping("from").scalars("cases"))
    found = [name.text for name in asked if known.check(name, faults)] if asked else fiche.cases
    return tuple(CampaignCase(id=name, fiche=name) for name in found)


# --- Variables --------------------------------------------------------------------------------


def _variants(root: Mapping, faults: Faults) -> tuple[Variant, ...]:
    found = []
    for node in unique(root.each("variants"), "variant", faults):
        (variable, entry), *_ = node.mapping("change").entries.items()
        value = _option(entry.value)
        found.append(Variant(id=node.text("id"), variable=variable, value=value))
    return tuple(found)


def _check_variables(root: Mapping, measured: Collection[str], faults: Faults) -> None:
    """What is set stands for something, and what changes is another value than before (F563)."""
    run = root.mapping("run")
    base = run.mapping("variables") if "run" in root else root.mapping("measure")
    words = tuple(run.scalars("command"))
    named = {name for word in words for name in _NAMED.findall(word.text)}
    for word in words:
        _check_named(word, base, faults)
    for part in (base, *_parts(root, "cases", "set"), *_parts(root, "variants", "change")):
        for entry in part.entries.values():
            if "run" in root:
                _check_word(entry, named, faults)
            elif measured:
                _check_option(entry, measured, faults)
    for part in _parts(root, "variants", "change"):
        for entry in part.entries.values():
            _check_change(entry, base, faults)


def _parts(root: Mapping, key: str, part: str) -> Iterator[Mapping]:
    return (node.mapping(part) for node in root.each(key))


def _check_named(word: Scalar, variables: Mapping, faults: Faults) -> None:
    for name in _NAMED.findall(word.text):
        if name not in variables and name not in _OWN:
            known = (*variables.entries, *_OWN)
            hint = nearest(name, known) or f"give {name} a value under variables"
            faults.add("F563", f"{{{name}}} has no value", word.span, hint)


def _check_word(entry: Entry, named: Collection[str], faults: Faults) -> None:
    name = entry.key.text
    if name not in named:
        message = f"no word of the command names {{{name}}}: it would change nothing"
        hint = nearest(name, named) or f"write {{{name}}} where its value belongs"
        faults.add("F563", message, entry.key.span, hint)


def _check_option(entry: Entry, measured: Collection[str], faults: Faults) -> None:
    name = entry.key.text
    if name not in measured:
        message = f"fiche measure has no option --{name.replace('_', '-')}"
        hint = nearest(name, measured) or "see fiche measure --help"
        faults.add("F563", message, entry.key.span, hint)


def _check_change(entry: Entry, base: Mapping, faults: Faults) -> None:
    before = base.get(entry.key.text)
    if before is not None and _option(before) == _option(entry.value):
        message = f"{entry.key.text} is this already: the variant changes nothing"
        faults.add("F563", message, entry.key.span, "give it another value, or leave it out")
