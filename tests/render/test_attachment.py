"""What travels inside a report: every file once, unchanged, under a plain name (E4, law 6)."""

import json

from render.decisions import CONTENTS
from render.pages import decision, sha256

from fiche.kernel.record import replace
from fiche.render.attachment import attachments_of
from fiche.render.json import decision_bytes


def attached(contents):
    made = decision("rich")
    return attachments_of(made, decision_bytes(made), contents)


def test_every_file_goes_in_with_its_digest_and_its_role():
    told = {a.name: a for a in attached(CONTENTS)}
    assert list(told) == sorted(told)
    assert len(told) == len(CONTENTS) + 3
    assert all(a.sha256 == sha256(a.content) for a in told.values())
    assert told["decision.json"].relationship == "Alternative"
    assert (told["chat.yaml"].relationship, told["chat.yaml"].media_type) == (
        "Source",
        "application/yaml",
    )
    assert told["evidence_run-4090.json"].description == "piece run-4090"
    assert told["evidence_run-4090.json"].relationship == "Data"


def test_the_manifest_lists_the_others_with_their_own_names():
    told = {a.name: a for a in attached(CONTENTS)}
    listed = json.loads(told["manifest.json"].content)["files"]
    assert {f["name"] for f in listed} == set(told) - {"manifest.json"}
    assert {f["file"] for f in listed} == {*CONTENTS, "decision.json", "ro-crate-metadata.json"}
    for entry in listed:
        assert entry["sha256"] == told[entry["name"]].sha256
        assert entry["bytes"] == len(told[entry["name"]].content)


def test_names_are_ascii_without_folders_and_never_collide():
    files = {
        "a/b.txt": b"1",
        "a_b.txt": b"2",
        "../é.txt": b"3",
        "decision.json": b"4",
        "ro-crate-metadata.json": b"5",
        "\u4e2d": b"5",
    }
    names = [a.name for a in attached(files)]
    assert len(names) == len(set(names)) == len(files) + 3
    assert all(n.isascii() and "/" not in n and not n.startswith(".") for n in names)
    contents = {a.name: a.content for a in attached(files)}
    assert contents["decision.json"] == decision_bytes(decision("rich"))
    assert set(files.values()) <= set(contents.values())


def test_a_media_type_that_is_none_is_not_written_into_a_page():
    made = decision("rich")
    odd = replace(made.fiche.pieces[0], media_type='text/html,"><script>')
    fiche = replace(made.fiche, pieces=(odd, *made.fiche.pieces[1:]))
    changed = replace(made, fiche=fiche)
    told = attachments_of(changed, decision_bytes(changed), CONTENTS)
    assert {a.media_type for a in told if "6000ada" in a.name} == {"application/octet-stream"}
