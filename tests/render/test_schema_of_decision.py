"""schemas/decision.schema.json: every document fits it, and it describes every key there is (E4)."""

import json

import jsonschema_rs
import pytest
from render.pages import NAMES, decision
from samples.test_samples import COMPLETE, decided

from fiche.assets import schema_text
from fiche.render.json import FORMAT, SCHEMA, SCHEMA_VERSION, decision_bytes

FORM = json.loads(schema_text(SCHEMA))
VALIDATOR = jsonschema_rs.validator_for(FORM)
INNER = ("items", "additionalProperties", "then", "else", "if", "not")


def forms(form, path="#"):
    """Every part of a schema with its place."""
    if isinstance(form, list):
        for place, each in enumerate(form):
            yield from forms(each, f"{path}/{place}")
    if isinstance(form, dict):
        yield path, form
        for key in INNER:
            yield from forms(form.get(key), f"{path}/{key}")
        for key in ("anyOf", "oneOf", "allOf"):
            yield from forms(form.get(key, []), f"{path}/{key}")
        for key in ("properties", "$defs"):
            for name, each in form.get(key, {}).items():
                yield from forms(each, f"{path}/{key}/{name}")


def made(name):
    return json.loads(decision_bytes(decided(name) if name in COMPLETE else decision(name)))


@pytest.mark.parametrize("name", [*NAMES, *COMPLETE])
def test_every_document_fits(name):
    assert [str(error) for error in VALIDATOR.iter_errors(made(name))] == []


def test_no_object_may_have_a_key_that_is_not_described():
    for path, form in forms(FORM):
        if "properties" in form:
            assert form.get("additionalProperties") is False, path
        for name, each in form.get("properties", {}).items():
            assert each.get("description"), f"{path}/{name}"


def test_every_key_of_every_object_is_in_the_schema():
    """A key that a schema lacks is refused: the samples have each block, so none is missing."""
    document = made("serving")
    for key in document:
        assert VALIDATOR.is_valid(document)
        assert not VALIDATOR.is_valid({**document, f"{key}_more": document[key]})


def test_its_version_is_that_of_the_documents_and_has_a_history():
    document = made("guide")
    assert document["format"] == FORMAT == FORM["properties"]["format"]["const"]
    assert document["schema"] == SCHEMA == FORM["properties"]["schema"]["const"]
    assert document["schema_version"] == SCHEMA_VERSION
    assert FORM["properties"]["schema_version"]["const"] == SCHEMA_VERSION
    assert FORM["$id"].endswith(f":{SCHEMA_VERSION}")
    assert f"{SCHEMA_VERSION}:" in FORM["$comment"]


def test_a_count_of_bytes_that_json_cannot_hold_is_a_string():
    figure = {"$schema": FORM["$schema"], "$ref": "#/$defs/figure", "$defs": FORM["$defs"]}
    validator = jsonschema_rs.validator_for(figure)
    told = made("guide")["figures"]
    one = next(each for each in told if "bytes" in each)
    assert validator.is_valid({**one, "bytes": "9007199254740992"})
    assert not validator.is_valid({**one, "bytes": "many"})
    assert not validator.is_valid({**one, "bytes": 0.5})
