"""What `follows` lets through the library lets through too, and what is right is let through."""

import copy
import json
import random
from pathlib import Path

import jsonschema_rs
import pytest

from fiche.assets import schema_text
from fiche.kernel.follows import follows
from fiche.load import schema
from fiche.load.node import plain_value
from fiche.load.source import source
from fiche.load.tree import parse

ROOT = Path(__file__).parents[2]
YAML = [
    *sorted(ROOT.glob("samples/*/*.yaml")),
    *sorted(ROOT.glob("src/fiche/policies/*.yaml")),
]
RECORDS = sorted(ROOT.glob("samples/*/evidence/*.json"))
ROUNDS = 30
# What a document may hold that it should not, or should not there.
STRANGE = (
    None,
    True,
    0,
    -1,
    1,
    10**6,
    "",
    "x",
    "12.5 GiB",
    "no",
    "1970-01-01",
    "a b\n",
    [],
    {},
    ["x", "x"],
)


def documents():
    for path in YAML:
        value = plain_value(parse(source(path.name, path.read_bytes())))
        kinds = ("fiche", "policy", "catalog", "offers", "review")
        kind = next((kind for kind in kinds if kind in value), None)
        if kind is not None:
            yield pytest.param(kind, value, id=f"{path.parent.name}/{path.name}")
    for path in RECORDS:
        value = json.loads(path.read_text(encoding="utf-8"))
        if str(value.get("format", "")).startswith("fiche-measurement/"):
            yield pytest.param("record", value, id=f"{path.parent.parent.name}/{path.name}")


def library(kind):
    return jsonschema_rs.Draft202012Validator(
        schema.document(kind), formats=schema._formats(), validate_formats=True
    )


@pytest.mark.parametrize(("kind", "document"), list(documents()))
def test_what_it_lets_through_the_library_lets_through(kind, document):
    """Each sample, spoilt at random in many ways, always the same ones."""
    judge, chance = library(kind), random.Random(7)
    for _ in range(ROUNDS):
        spoilt = copy.deepcopy(document)
        for _ in range(chance.randint(0, 2)):
            spoil(spoilt, chance)
        if follows(spoilt, schema.document(kind), schema._formats()):
            assert judge.is_valid(spoilt)


@pytest.mark.parametrize(("kind", "document"), list(documents()))
def test_what_is_right_is_let_through_without_the_library(kind, document):
    if library(kind).is_valid(document):
        assert follows(document, schema.document(kind), schema._formats())


def spoil(document, chance):
    """Change, add, drop or swap one value somewhere."""
    places = [(holder, key) for holder, key in walked(document)]
    holder, key = chance.choice(places)
    others = [each[k] for each, k in places]
    what = chance.randrange(4)
    if what == 0:
        holder[key] = copy.deepcopy(chance.choice(STRANGE))
    elif what == 1:
        holder[key] = copy.deepcopy(chance.choice(others))
    elif what == 2:
        del holder[key]
    elif isinstance(holder, dict):
        named, other = chance.choice([(h, k) for h, k in places if isinstance(h, dict)])
        holder[other] = copy.deepcopy(named[other])
    else:
        holder.append(copy.deepcopy(holder[key]))


def walked(part):
    keys = part.keys() if isinstance(part, dict) else range(len(part))
    for key in list(keys):
        yield part, key
        if isinstance(part[key], dict | list) and part[key]:
            yield from walked(part[key])


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (True, {"const": 1}),
        (1, {"enum": [True]}),
        (1, {"type": "boolean"}),
        (True, {"type": "integer"}),
        ("a\n", {"pattern": "^a$"}),
        ("٣", {"pattern": r"^\d$"}),
        ({"a": 1}, {"properties": {"a": False}}),
        ({"a": 1}, {"$ref": "#/$defs/b", "unevaluatedProperties": False, "$defs": {"b": {}}}),
        ("x", {"not": {"type": "string"}}),
        (["a", "a"], {"uniqueItems": True}),
    ],
)
def test_what_is_wrong_is_refused(value, told):
    assert not jsonschema_rs.Draft202012Validator(told).is_valid(value)
    assert not follows(value, told)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (1.0, {"type": "integer"}),
        (2**70, {"type": "integer"}),
        ([1, 1], {"uniqueItems": True}),
        ({"a": []}, {"const": {"a": []}}),
        ("ab", {"pattern": "^a."}),
        ("ab", {"pattern": r"\w"}),
        ("ab", {"pattern": "a$|b"}),
        ("ab", {"format": "email"}),
        ("ab", {"contentMediaType": "text/plain"}),
        ("ab", {"$ref": "https://example.org/other"}),
        ({}, {"unevaluatedProperties": False, "allOf": [{}]}),
    ],
)
def test_what_it_does_not_understand_is_left_to_the_library(value, told):
    assert not follows(value, told)


def test_every_schema_is_understood_word_for_word():
    """A new keyword in a schema of a fiche's files would make each run set the library up."""
    from fiche.kernel import follows as room

    for kind in ("fiche", "policy", "catalog", "offers", "record"):
        for keyword in keywords(json.loads(schema_text(f"{kind}.schema.json"))):
            assert keyword in room._JUDGES or keyword in room._SAYS_NOTHING


def keywords(told):
    if isinstance(told, bool):
        return
    for keyword, part in told.items():
        yield keyword
        if keyword in ("properties", "patternProperties", "$defs", "dependentSchemas"):
            for each in part.values():
                yield from keywords(each)
        elif keyword in ("allOf", "anyOf"):
            for each in part:
                yield from keywords(each)
        elif keyword in ("items", "additionalProperties", "not", "if", "then", "else"):
            yield from keywords(part)
