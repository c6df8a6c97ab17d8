"""Policies: data that says how strictly pieces are read (DESIGN 4)."""

from fractions import Fraction

import pytest
from loading import fiche_of, refusals

from fiche.assets import package_data
from fiche.kernel.figure import Figure
from fiche.load.fault import Faults
from fiche.load.policy import built_in, built_in_policies
from fiche.load.schema import check
from fiche.load.source import source
from fiche.load.tree import parse
from fiche.load.vocabulary import RENAMED, workload_terms

OWN = """policy: 1
name: team
version: "3"
typed_scope: never_alone
tie_tolerance: 2 %
machine_spread: {value: 500 MiB, because: "258 to 869 MiB were seen"}
strict: {memory: [engine.version]}
"""


@pytest.mark.parametrize("name", built_in_policies())
def test_a_built_in_policy_is_what_its_schema_says(name):
    faults = Faults()
    content = package_data(f"policies/{name}.yaml").read_bytes()
    check(parse(source(name, content)), "policy", faults)
    faults.stop()
    assert built_in(name).policy.name == name


@pytest.mark.parametrize("name", built_in_policies())
def test_every_fact_that_a_policy_names_can_be_stated(name):
    policy = built_in(name).policy
    known = {RENAMED.get(path, path) for path in workload_terms()} | {
        "gpu",
        "method.*",
        "training.*",
    }
    named = {
        path
        for lists in (policy.strict, policy.noted)
        for entries in lists.values()
        for entry in entries
        for path in entry.split("|")
    }
    assert named <= known


def test_the_strict_facts_of_memory_are_those_of_the_design():
    strict = built_in("neutral").policy.strict
    cuts = {
        f"placement.{kind}_parallel" for kind in ("tensor", "pipeline", "expert", "context", "data")
    }
    cuts |= {"placement.sharding", "placement.offload"}
    assert cuts <= set(strict["memory"])
    assert set(strict["memory"]) - cuts == {
        "model.name",
        "model.revision|model.digest",
        "operation",
        "formats.storage",
        "formats.loaded",
        "formats.compute",
        "engine.name",
        "engine.version",
        "attention",
        "allocator.backend",
        "allocator.settings",
        "backend",
        "gpu",
        "placement.devices",
        "placement.resident",
        "placement.split",
        "process_protocol",
    }
    keys = ("formats.cache", "formats.cache_key", "formats.cache_value")
    assert strict["memory.generation"] == keys
    for kind in ("quality", "software", "precision"):
        assert strict[kind], "an empty list would let any piece cover any question"


def test_the_two_policies_differ_in_whose_word_counts():
    neutral, strict = built_in("neutral").policy, built_in("strict").policy
    assert (neutral.typed_scope, strict.typed_scope) == ("counts", "never_alone")
    assert (neutral.strict, neutral.noted) == (strict.strict, strict.noted)
    assert neutral.sha256 != strict.sha256
    assert (neutral.tie_tolerance.low, neutral.tie_tolerance.id) == (0, "policy.tie_tolerance")


def test_a_fiche_without_a_policy_is_read_by_the_neutral_one():
    fiche = fiche_of()
    assert fiche.policy.name == "neutral"
    assert "fiche:policies/neutral.yaml" in {one.file for one in fiche.inputs}


def test_a_team_has_its_own_file():
    fiche = fiche_of("policy: team.yaml\n", files={"team.yaml": OWN})
    policy = fiche.policy
    assert (policy.name, policy.version, policy.typed_scope) == ("team", "3", "never_alone")
    assert policy.tie_tolerance.low * 50 == 1
    assert isinstance(policy.machine_spread, Figure)
    assert policy.machine_spread.low == 500 * 2**20
    assert policy.machine_spread.origin.because == "258 to 869 MiB were seen"
    assert {one.file: one.role for one in fiche.inputs}["team.yaml"] == "policy"
    assert policy.sha256 == {one.file: one.sha256 for one in fiche.inputs}["team.yaml"]


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("lenient", None, "F505"),
        ("gone.yaml", None, "F318"),
        ("../p.yaml", None, "F317"),
        ("own.yaml", OWN.replace("2 %", "2"), "F211"),
        ("own.yaml", OWN.replace("memory:", "memry:"), "F305"),
        ("own.yaml", OWN + "guard: 1\n", "F301"),
        ("own.yaml", "policy: [\n", "F103"),
    ],
)
def test_a_faulty_policy_is_refused(name, content, code):
    files = {name: content} if content else {}
    assert [one for one, _, _ in refusals(f"policy: {name}\n", files=files)] == [code]


GUARDED = (
    OWN
    + """guard_band:
  memory: {value: 256 MiB, because: "five processes differed by as much"}
  quality: {value: 1 %, because: "the result of another seed"}
  latency: {value: 5 %, because: "two runs of the client"}
"""
)


def test_a_guard_band_is_bytes_points_or_a_ratio_of_the_limit():
    """ILAC-G8: declared, with its reason."""
    bands = fiche_of("policy: own.yaml\n", files={"own.yaml": GUARDED}).policy.guard_bands
    assert {name: (band.low, str(band.unit)) for name, band in bands.items()} == {
        "memory": (256 * 2**20, "B"),
        "quality": (Fraction(1, 100), ""),
        "latency": (Fraction(1, 20), ""),
    }
    assert "five processes" in bands["memory"].origin.because


@pytest.mark.parametrize(
    "band",
    [
        'memory: {value: 5 %, because: "a guess"}',
        "memory: {value: 256 MiB}",
        'cost: {value: 5 %, because: "prices move"}',
    ],
)
def test_a_band_of_no_unit_without_a_reason_or_of_what_is_exact_is_refused(band):
    told = refusals("policy: own.yaml\n", files={"own.yaml": f"{OWN}guard_band: {{{band}}}\n"})
    assert told
