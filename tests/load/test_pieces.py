"""Pieces: bytes kept as received, read by an importer or by people, a scope on somebody's word."""

import hashlib

import pytest
from loading import fiche_of, loaded, refusals, text_of

from fiche.kernel.address import Pointer
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.doors import Importer
from fiche.kernel.fact import Fact
from fiche.kernel.piece import Reading

LOG = b"step 1\nCUDA out of memory\r\nend\n"


def read(content, sha256):
    where = Pointer(sha256=sha256, line=1)
    if b"broken" in content:
        problems = [("F427", "cut short", where), ("F421", "no header", None)]
        raise Refused(
            Diagnostic(code=code, message=message, address=place, hint="send it again")
            for code, message, place in problems
        )
    return Reading(
        kind="log", shape="plain", version="7", facts={"driver": Fact(value="610", address=where)}
    )


def importer(name, score):
    return Importer(name=name, title=name, accepts=lambda head, file: score(head, file), read=read)


IMPORTERS = (
    importer("log", lambda head, file: 60 if b"step" in head else 0),
    importer("other", lambda head, file: 40 if file.endswith(".log") else 0),
)


def piece(line, content=LOG, importers=IMPORTERS, **parts):
    (found,) = fiche_of(
        f"pieces:\n  - {line}\n", files={"run.log": content}, importers=importers, **parts
    ).pieces
    return found


def test_a_piece_is_named_by_the_digest_of_its_bytes():
    found = piece("{id: p, file: run.log}")
    assert found.sha256 == hashlib.sha256(LOG).hexdigest()
    assert (found.num_bytes, found.media_type, found.file) == (len(LOG), "text/plain", "run.log")
    assert str(found.span) == "fiche.yaml:6:10"


def test_the_importer_that_is_surest_reads_it():
    found = piece("{id: p, file: run.log}")
    assert (found.kind, found.version) == ("log", "7")
    assert found.reading.facts["driver"].printed


def test_a_kind_chooses_its_importer_or_none():
    assert piece("{id: p, file: run.log, kind: other}").reading.kind == "log"
    for kind in ("quote", "datasheet", "document", "result"):
        found = piece(f'{{id: p, file: run.log, kind: {kind}, version: "3"}}')
        assert (found.kind, found.version, found.reading) == (
            kind,
            "3",
            Reading(kind=kind, shape="document"),
        )


def test_an_importers_refusal_is_told_where_the_fiche_names_the_file():
    with pytest.raises(Refused) as caught:
        piece("{id: p, file: run.log}", b"step broken")
    told = [(d.code, str(d.address), d.message) for d in caught.value.diagnostics]
    assert told == [
        ("F421", "fiche.yaml:6:19", "run.log: no header"),
        ("F427", "fiche.yaml:6:19", "run.log, line 1: cut short"),
    ]


def test_a_typed_scope_rests_on_a_persons_word():
    """DESIGN 4: facts typed by the author are attested by a named person."""
    scope = "{by: B. Silva, gpu: nvidia-l4-24g, engine: {name: vllm}, process: fresh, placement: {devices: 1}}"
    typed = piece(f"{{id: p, file: run.log, machine: node-7, scope: {scope}}}").typed
    assert {path: (fact.value, fact.by) for path, fact in typed.items()} == {
        "gpu": ("nvidia-l4-24g", "B. Silva"),
        "engine.name": ("vllm", "B. Silva"),
        "process_protocol": ("fresh", "B. Silva"),
        "placement.devices": ("1", "B. Silva"),
        "machine": ("node-7", "B. Silva"),
    }
    assert not any(fact.printed for fact in typed.values())


def test_the_author_vouches_where_nobody_else_is_named():
    assert piece("{id: p, file: run.log, machine: n}").typed["machine"].by == "A. Martin"


def test_executed_dimensions_are_figures():
    found = piece("{id: p, file: run.log, scope: {executed: {prompt_tokens: 7900}}}")
    assert found.typed_dimensions["prompt_tokens"].low == 7900
    assert found.typed_dimensions["prompt_tokens"].id == "p/prompt_tokens"
    assert found.typed == {}


def test_a_machine_is_told_once():
    line = "pieces:\n  - {id: p, file: run.log, kind: quote, machine: a, scope: {machine: b}}\n"
    assert refusals(line, files={"run.log": LOG}) == [("F104", 6, 61)]


def test_a_scope_speaks_of_things_that_exist():
    scope = "scope: {case: x, gpu: y, offer: z}"
    line = f"pieces:\n  - {{id: p, file: run.log, kind: quote, {scope}}}\n"
    assert [code for code, _, _ in refusals(line, files={"run.log": LOG})] == [
        "F307",
        "F308",
        "F307",
    ]


def test_every_file_that_went_in_is_kept_with_its_digest():
    """MISSION E4: the raw result is attached."""
    text = text_of("pieces:\n  - {id: p, file: run.log}\n  - {id: q, file: run.log, kind: quote}\n")
    result = loaded(text, {"run.log": LOG}, IMPORTERS)
    assert result.contents["run.log"] == LOG
    assert {i.file: i.sha256 for i in result.fiche.inputs} == {
        name: hashlib.sha256(content).hexdigest() for name, content in result.contents.items()
    }
    assert [i.file for i in result.fiche.inputs if i.role == "piece"] == ["run.log"]
