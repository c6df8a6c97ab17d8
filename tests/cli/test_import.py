"""`fiche import`: one JSON object, or a text that says what happened and what is not said (C13)."""

import hashlib
import json
import os

import pytest
from importers.messages import CLASS, sentence, six_lines
from importers.records import RECORD, document_bytes

from fiche.assets import schema_text

OOM = f"step 1\n[rank3]: {CLASS}{sentence()}\n"


@pytest.fixture
def write(tmp_path):
    def one(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return one


def test_one_json_object_for_all_files(fiche, write):
    log, record = write("run.log", OOM), write("m.json", document_bytes(RECORD))
    ended = fiche("import", log, record, "--json")
    assert (ended.code, ended.err) == (0, "")
    first, second = ended.json()["pieces"]
    assert (first["file"], first["kind"], first["failed"]) == (str(log), "torch_oom", True)
    assert first["sha256"] == hashlib.sha256(OOM.encode()).hexdigest()
    assert first["bytes"] == len(OOM.encode())
    (failure,) = first["failures"]
    assert (failure["line"], failure["rank"], failure["is_need"]) == (2, 3, False)
    assert failure["requested"]["bytes"] == 1213328261
    assert (second["kind"], second["failures"]) == ("fiche_record", [])
    assert len(second["observations"]) == 17


def test_the_json_follows_its_schema(fiche, write):
    import jsonschema_rs

    validator = jsonschema_rs.Draft202012Validator(json.loads(schema_text("pieces.schema.json")))
    ended = fiche("import", write("a.log", OOM), write("b.log", six_lines()), "--json")
    assert list(validator.iter_errors(ended.json())) == []


def test_the_text_says_what_happened_and_what_is_not_said(fiche, write):
    out = fiche("import", write("run.log", OOM)).out
    for words in (
        "torch_oom",
        "Failure 1, line 2",
        "device 3",
        "rank 3",
        "1.13 GiB",
        "1 207 959 552",
        "process 40213",
        "Not said: in which phase it happened",
    ):
        assert words in out
    assert "need:" in out


def test_a_record_in_text_shows_runs_and_counters(fiche, write):
    out = fiche("import", write("m.json", document_bytes(RECORD))).out
    for words in ("whole loop", "max_memory_reserved", "15 032 385 536", "executed_differs"):
        assert words in out


def test_nothing_of_a_hostile_log_reaches_the_terminal(fiche, write):
    """Law 7."""
    text = f"\x1b]0;owned\x07 {CLASS}{sentence()}\x1b[2J\n".encode()
    ended = fiche("import", write("a.log", text))
    assert ended.code == 0
    assert "\x1b" not in ended.out
    assert "\x07" not in ended.out


def test_a_refusal_names_file_and_format_and_prints_no_result(fiche, write):
    table = write("gpu.txt", "+------------------------+\n| NVIDIA-SMI 535.54  Driver\n")
    ended = fiche("import", write("a.log", OOM), table, "--json")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"F421 {table}: format not supported yet: nvidia-smi table")
    assert "hint:" in ended.err


def test_every_wrong_file_is_told_at_once(fiche, write):
    document = dict(RECORD, gpu=7, machine=8)
    ended = fiche("import", write("a.bin", b"\x00\x01"), write("m.json", document_bytes(document)))
    assert ended.code == 2
    assert "F420" in ended.err
    assert "/gpu: " in ended.err
    assert "/machine: " in ended.err


def test_a_kind_can_be_forced(fiche, write):
    log = write("a.log", f"{OOM}a.sh: line 3:  8 Killed  python\n")
    assert (
        fiche("import", log, "--kind", "host_oom", "--json").json()["pieces"][0]["kind"]
        == "host_oom"
    )
    ended = fiche("import", log, "--kind", "torch-oom")
    assert ended.code == 2
    assert "F423" in ended.err


def test_files_that_cannot_be_read(fiche, tmp_path):
    ended = fiche("import", tmp_path / "absent.log")
    assert ended.code == 2
    assert "absent.log" in ended.err
    assert "Traceback" not in ended.err
    assert fiche("import", tmp_path).code == 2


@pytest.mark.parametrize("command", [("import",), ("check",), ("catalog", "validate")])
def test_what_is_no_plain_file_is_refused_and_never_waited_for(fiche, tmp_path, command):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, "/dev/zero"):
        ended = fiche(*command, path)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith(f"F318 '{path}' is no file")


def test_a_file_that_is_too_large(fiche, write, monkeypatch):
    monkeypatch.setattr("fiche.cli.evidence.MAX_BYTES", 10)
    ended = fiche("import", write("a.log", OOM))
    assert ended.code == 2
    assert "F425" in ended.err
