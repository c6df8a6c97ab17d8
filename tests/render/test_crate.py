"""ro-crate-metadata.json: flat, complete, deterministic, and no part of it invented (E4)."""

import json

import pytest
import rfc8785
from render.decisions import CONTENTS
from render.pages import NAMES, decision, sha256

from fiche.render.attachment import attachments_of
from fiche.render.crate import NAME, Part, crate_bytes
from fiche.render.folder import crate_files
from fiche.render.json import decision_bytes


def attached(name):
    made = decision(name)
    return attachments_of(made, decision_bytes(made), {} if name == "hostile" else CONTENTS)


def graph(content):
    return {entity["@id"]: entity for entity in json.loads(content)["@graph"]}


def references(value):
    if isinstance(value, dict):
        if set(value) == {"@id"}:
            yield value["@id"]
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


@pytest.mark.parametrize("name", NAMES)
def test_it_describes_every_other_attachment_but_the_manifest(name):
    told = {one.name: one for one in attached(name)}
    crate = told[NAME].content
    assert crate == rfc8785.dumps(json.loads(crate))
    entities = graph(crate)
    assert len(entities) == len(json.loads(crate)["@graph"])
    assert entities[NAME]["about"] == {"@id": "./"}
    parts = {one["@id"] for one in entities["./"]["hasPart"]}
    assert parts == set(told) - {NAME, "manifest.json"}
    for part in parts:
        assert entities[part]["sha256"] == sha256(told[part].content)
        assert int(entities[part]["contentSize"]) == len(told[part].content)


@pytest.mark.parametrize("name", NAMES)
def test_every_reference_leads_to_an_entity_or_out_of_the_crate(name):
    entities = graph(next(one.content for one in attached(name) if one.name == NAME))
    for told in references(list(entities.values())):
        assert told in entities or told.startswith(("https://w3id.org/", "http://schema.org/"))


@pytest.mark.parametrize("name", NAMES)
def test_what_was_made_is_told_from_what_was_read(name):
    entities = graph(next(one.content for one in attached(name) if one.name == NAME))
    making = entities["#making"]
    assert [one["@id"] for one in making["result"]] == ["decision.json"]
    sides = {one["@id"] for side in ("object", "result") for one in making[side]}
    assert sides == {one["@id"] for one in entities["./"]["hasPart"]}
    assert making["instrument"] == {"@id": "#fiche"}


def test_numbers_are_those_of_the_decision_with_their_unit():
    made = decision("rich")
    document = json.loads(decision_bytes(made))
    figures = {one["id"]: one for one in document["figures"]}
    entities = graph(crate_bytes(made, (), "en"))
    told = [one for one in entities.values() if one["@type"] == "PropertyValue"]
    assert len(told) == sum(
        one[key] is not None for one in document["candidates"] for key in ("cost", "useful_margin")
    )
    for one in told:
        figure = figures[one["propertyID"]]
        assert one["unitText"] == figure["unit"]
        if "value" in one:
            assert one["value"] == figure.get("bytes", figure.get("value"))
        else:
            low = figure.get("low_bytes", figure.get("low"))
            assert one["minValue"] == low


def test_names_become_uris():
    part = Part(
        name="a b#c.txt",
        media_type="text/plain",
        num_bytes=1,
        sha256="",
        description="",
        is_made=False,
    )
    assert "a%20b%23c.txt" in graph(crate_bytes(decision("rich"), [part], "en"))


def test_a_folder_holds_what_its_crate_names():
    made = {"report.md": b"# x\n", "tables/findings.csv": b"a\r\n"}
    told = crate_files(decision("rich"), made, attached("rich"), "pt")
    assert graph(told[NAME])["./"]["inLanguage"] == "pt"
    parts = {one["@id"] for one in graph(told[NAME])["./"]["hasPart"]}
    assert parts == {*made, *told} - {NAME}
    for name in parts:
        content = {**made, **told}[name]
        assert graph(told[NAME])[name]["sha256"] == sha256(content)
