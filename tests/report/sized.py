"""What tests of the sizer share: samples compiled once, what they ask, and the traces behind each row."""

from functools import cache
from pathlib import Path

from fiche.cli.compile import compile_fiche
from fiche.evaluate.whatif import what_if
from fiche.kernel import trace
from fiche.kernel.doors import Estimator
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Stated
from fiche.registry import members
from fiche.report.desk import Desk
from fiche.report.sizer import section
from fiche.report.words.en import MEMBER as ENGLISH

SAMPLES = Path(__file__).parents[2] / "samples"
NAMES = (
    "serving",
    "guide",
    "dense",
    "qlora",
    "latent-cache",
    "long-context",
    "throughput",
    "one-change",
    "two-cards",
    "server",
    "committee",
)


@cache
def estimators():
    return members("fiche.estimators", Estimator)


@cache
def decision(name):
    return compile_fiche(SAMPLES / name / "fiche.yaml").decision


@cache
def asked(name):
    return what_if(decision(name), estimators())


@cache
def content(name, language=ENGLISH):
    return section(Desk.of(decision(name), language), asked(name)).blocks[0].content


def tops(name, owner, case):
    """The figures behind the rows of a case, in their order."""
    load = next(one for one in decision(name).loads if (one.owner, one.case) == (owner, case))
    found = [item.node for item in load.items] + [each.total for each in load.phases]
    for group in (asked(name).envelopes, asked(name).sums):
        if (owner, case) in group:
            found.append(group[owner, case])
    return found


def stated(entry, value, unit):
    """What a reader typed, as a figure of the fiche."""
    return Figure(low=value, high=value, unit=unit, origin=Stated(span=None), id=entry["id"])


def values(name, typed):
    """By id the figures for what a reader typed (a whole number by id)."""
    units = {}
    loads = decision(name).loads
    for load in loads:
        for node in tops(name, load.owner, load.case):
            units.update((leaf.id, leaf.unit) for leaf in trace.leaves(node) if leaf.id)
    for room in asked(name).rooms:
        if room.most is not None:
            units.update((leaf.id, leaf.unit) for leaf in trace.leaves(room.most) if leaf.id)
    entries = {entry["id"]: entry for entry in content(name)["inputs"]}
    return {key: stated(entries[key], value, units[key]) for key, value in typed.items()}


def chosen(name, owner, formats, typed):
    """By id what stands in for what: the formats chosen, over what was typed; None where one is not offered."""
    found = dict(typed)
    for key, wanted in formats.items():
        offers = [
            o for o in asked(name).offered if (o.owner, o.key, o.name) == (owner, key, wanted)
        ]
        if not offers:
            return None
        found.update({i: trace.reevaluate(n, typed) for i, n in offers[0].changed.items()})
    return found
