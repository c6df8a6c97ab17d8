"""The schemas, and what an author is told where a text breaks them."""

import json

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loading import CANDIDATES, HEAD, fiche_of, refusals, text_of

from fiche.assets import schema_dir
from fiche.kernel.diagnostic import Refused
from fiche.kernel.quantity import BYTE_UNITS, HOURS, POWER_UNITS, RATE_UNITS
from fiche.load.fault import MOST_HINTS, Faults
from fiche.load.schema import QUANTITIES, check, document
from fiche.load.source import source
from fiche.load.tree import parse
from fiche.load.vocabulary import NEED, workload_terms

OWN = ("fiche", "policy")


def told(text, name="fiche"):
    faults = Faults()
    check(parse(source("a.yaml", text.encode())), name, faults)
    try:
        faults.stop()
    except Refused as refused:
        return refused.diagnostics
    return ()


def properties(schema, path=""):
    """Every property of a schema with the path to it."""
    if isinstance(schema, dict):
        for key, value in schema.get("properties", {}).items():
            if isinstance(value, dict):
                yield f"{path}/{key}", value
        for key, value in schema.items():
            yield from properties(value, f"{path}/{key}")
    elif isinstance(schema, list):
        for place, value in enumerate(schema):
            yield from properties(value, f"{path}/{place}")


@pytest.mark.parametrize("name", [path.name.split(".")[0] for path in schema_dir().glob("*.json")])
def test_a_schema_is_one(name):
    jsonschema_rs.meta.validate(document(name))
    assert document(name)["$schema"].endswith("2020-12/schema")


def test_a_changed_value_is_held_to_what_the_workload_says_of_it():
    """A change to no device at all would leave memory without a question, and so without a verdict."""
    definitions = document("fiche")["$defs"]
    change = definitions["change"]["properties"]
    for path in workload_terms():
        key, _, below = path.partition(".")
        if key in NEED or path.endswith(".*"):
            continue
        told = definitions["workload"]["properties"][key]
        if below:
            told = definitions[told["$ref"].rsplit("/", 1)[-1]]["properties"][below]
        if told.get("$ref") == "#/$defs/word":
            assert path not in change
        elif "enum" in told:
            owner = key if below else "workload"
            assert change[path]["$ref"] == f"#/$defs/{owner}/properties/{below or key}"
        else:
            assert change[path]["$ref"] == told["$ref"]


@pytest.mark.parametrize("name", OWN)
def test_editors_have_a_title_and_a_description_for_each_key(name):
    bare = [
        path
        for path, told in properties(document(name))
        if not path.split("/")[-2].isdigit() and "if" not in path.split("/")
        if not ("title" in told and "description" in told)
    ]
    assert bare == []


@pytest.mark.parametrize("name", OWN)
def test_no_kind_is_told_by_one_of(name):
    """An error of `oneOf` names no key (law 3)."""
    assert "oneOf" not in json.dumps(document(name))


def test_every_quantity_of_the_schemas_has_its_parser():
    formats = {
        told["format"].removeprefix("fiche-")
        for name in OWN
        for told in document(name)["$defs"].values()
        if "format" in told
    }
    assert formats <= set(QUANTITIES)


@pytest.mark.parametrize(
    ("kind", "units"),
    [("bytes", BYTE_UNITS), ("bandwidth", RATE_UNITS), ("power", POWER_UNITS), ("duration", HOURS)],
)
def test_the_patterns_that_editors_see_accept_every_unit(kind, units):
    validator = jsonschema_rs.Draft202012Validator(document("fiche")["$defs"][kind])
    assert [unit for unit in units if not validator.is_valid(f"12.5 {unit}")] == []
    assert not validator.is_valid("12.5 XB")


def test_an_unknown_key_is_pointed_at_itself():
    (one,) = told(text_of("workload:\n  model: {kv_head: 8}\n"))
    assert (one.code, str(one.address), one.length) == ("F301", "a.yaml:6:11", 7)
    assert one.hint == "did you mean kv_heads?"


def test_a_missing_key_is_told_at_its_mapping_with_what_it_holds():
    (one,) = told(text_of("workload:\n  cases:\n    - {id: a}\n"))
    assert (one.code, str(one.address)) == ("F302", "a.yaml:7:7")
    assert one.hint.startswith("role: ")


def test_a_key_of_another_kind_is_told_as_such():
    (one,) = told(text_of("requirements:\n  - {id: a, kind: memory, level: must, tax: excluded}\n"))
    assert one.message == "unknown key 'tax' for kind memory"


def test_quantities_are_told_with_both_readings_beside_other_errors():
    text = text_of("margin:\n  - {id: m, value: 24, why: x}\n")
    assert [(d.code, d.address.column) for d in told(text)] == [
        ("F311", 5),
        ("F201", 20),
        ("F301", 24),
    ]
    assert "24 GB" in told(text)[1].hint
    assert "24 GiB" in told(text)[1].hint


def test_a_quoted_number_is_told_to_lose_its_quotes():
    (one,) = told(text_of('workload:\n  model: {layers: "32"}\n'))
    assert (one.code, one.hint) == ("F303", "take the quotes off")


def test_a_list_is_no_fiche():
    (one,) = told("- fiche: 1\n")
    assert one.message == "'the file' needs keys with values, not a list"


def test_words_may_look_like_numbers():
    """Law 3: `version: 2.10` stays 2.10; a revision may be all digits."""
    fiche = fiche_of("workload:\n  engine: {name: no, version: 2.10}\n  model: {revision: 0123}\n")
    values = {path: fact.value for path, fact in fiche.workload.facts.items()}
    assert values == {"engine.name": "no", "engine.version": "2.10", "model.revision": "0123"}


def test_many_faults_take_no_time_to_guess_at():
    keys = "".join(f"key{number}: 1\n" for number in range(5000))
    found = told(HEAD + "workload: {}\n" + CANDIDATES + keys)
    assert len(found) == 5000
    assert len({d.hint for d in found}) <= MOST_HINTS + 1


def test_each_kind_of_requirement_can_be_met_by_its_keys_alone():
    table = {
        "memory": "",
        "capacity": "at_least: 20 GiB",
        "quality": "metric: m, dataset: d, at_least: 0.5",
        "software": "component: torch, at_least: 2.4",
        "precision": "format: fp8_e4m3",
        "cost": "at_most: 60 USD, tax: excluded",
        "delivery": "by: 2026-12-24",
        "interconnect": "link: NVLink, at_least: 900 GB/s",
        "host_memory": "at_least: 128 GiB",
        "document": "document: Warranty terms",
        "power": "at_most: 300 W, term: TGP",
        "compute_capability": "at_least: 8.0, gfx: [gfx90a, gfx942]",
        "ecc": "state: on",
        "form_factor": "one_of: [PCIe dual-slot, OAM]",
        "disk": "at_least: 2 TB, type: NVMe",
        "placement": "",
        "service": "service: managed PostgreSQL, piece: the provider's list of services",
        "throughput": "at_least: 300 tokens/s, of: output, concurrency: 16",
        "latency": "metric: ttft, percentile: p95, at_most: 800 ms, request_rate: 4 requests/s",
        "duration": "at_most: 12 h, passes: 3000",
        "warranty": "at_least: 3 years, service: on-site, returns: seller",
        "support": "at_most: 4 h, support: Gold, hours: 24x7",
        "location": "one_of: [France, Germany], place: country",
        "licence": "use: datacentre, of: NVIDIA GeForce driver",
        "quotes": "at_least: 3",
        "budget_line": "line: CAP-7, tax: excluded",
    }
    kinds = document("fiche")["$defs"]["requirement"]["properties"]["kind"]["enum"]
    assert set(table) == set(kinds)
    for kind, keys in table.items():
        line = f"  - {{id: r, kind: {kind}, level: must{', ' + keys if keys else ''}}}\n"
        assert refusals("requirements:\n" + line) == [], kind


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text("a1 .", max_size=4),
    lambda v: st.lists(v, max_size=3) | st.dictionaries(st.sampled_from(["id", "cases", "x"]), v),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(list(document("fiche")["properties"])), json_values))
def test_whatever_is_wrong_is_told_in_words(value):
    """No message of the validator itself, no place outside the text."""
    text = json.dumps(value)
    for one in told(text):
        assert one.message
        assert 1 <= one.address.column <= len(text)
