"""`fiche import`: one JSON object, or a text that says what happened and what is not said (C13)."""

import bz2
import gzip
import hashlib
import io
import json
import lzma
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from importers.documents import pdf
from importers.messages import CLASS, sentence, six_lines
from importers.records import RECORD, document_bytes, journal_bytes
from importers.test_lm_eval_results import results

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


def test_a_record_names_the_phase_that_failed_so_it_is_not_called_unsaid(fiche, write):
    """C11: a log does not say the phase, a record does."""

    def fail(document):
        phase = document["phases"][0]
        phase |= {
            "outcome": "failure",
            "error": {"type": CLASS.rstrip(": "), "message": sentence()},
        }

    document = json.loads(document_bytes(RECORD))
    fail(document)
    out = fiche("import", write("m.json", json.dumps(document).encode())).out
    assert "in which phase it happened" not in out
    assert "Not said: what a complete run would need." in " ".join(out.split())


def test_a_total_says_its_unit_and_whose_counter_it_is(fiche, write):
    out = " ".join(fiche("import", write("m.json", document_bytes(RECORD))).out.split())
    assert re.search(r"total of device 0 \d+ B, torch_total_memory", out)


def test_a_record_shows_each_phase_with_allocated_and_reserved_apart(fiche, write):
    """C3, E1: two columns with their unit; a failed phase is called no need."""
    document = json.loads(document_bytes(RECORD))
    path = write("m.json", json.dumps(document).encode())
    lines = fiche("import", path).out.splitlines()
    (head,) = [
        at for at, line in enumerate(lines) if line.split()[:3] == ["run", "device", "allocated"]
    ]
    heads = " ".join(" ".join(lines[head : head + 3]).split())
    assert heads.count("(GiB)") == 5
    assert heads.count("allocated") == heads.count("reserved") == 2
    said = " ".join(" ".join(lines).split())
    assert "never added" in said
    assert "What a failed phase reached is no need." not in said
    document["phases"][0] |= {"outcome": "failure", "error": {"type": "E", "message": "x"}}
    said = " ".join(fiche("import", write("n.json", json.dumps(document).encode())).out.split())
    assert "What a failed phase reached is no need." in said


def test_a_record_in_text_shows_runs_and_counters(fiche, write):
    out = fiche("import", write("m.json", document_bytes(RECORD))).out
    for words in (
        "whole loop",
        "max_memory_reserved",
        "15032385536",
        "14.00 GiB",
        "executed_differs",
    ):
        assert words in out


def test_nothing_of_a_hostile_log_reaches_the_terminal(fiche, write):
    """Law 7."""
    text = f"\x1b]0;owned\x07 {CLASS}{sentence()}\x1b[2J\n".encode()
    ended = fiche("import", write("a.log", text))
    assert ended.code == 0
    assert "\x1b" not in ended.out
    assert "\x07" not in ended.out


def test_a_refusal_names_file_and_format_and_prints_no_result(fiche, write):
    table = write("trace.sqlite", "SQLite format 3\x00")
    ended = fiche("import", table, "--json")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"F421 {table}: format not supported yet: SQLite database")
    assert "hint:" in ended.err


@pytest.mark.parametrize(("options", "code"), [([], "F421"), (["--redact"], "F483")])
def test_what_can_be_read_is_shown_whatever_is_wrong_with_other_files(fiche, write, options, code):
    import jsonschema_rs

    table, log = write("trace.sqlite", "SQLite format 3\x00"), write("a.log", OOM)
    record = write("m.json", document_bytes(dict(RECORD, gpu=7)))
    ended = fiche("import", table, log, log.parent / "absent.log", record, *options)
    assert ended.code == 2
    assert "a.log: torch_oom" in ended.out
    codes = {line.split()[0] for line in ended.err.splitlines() if line.startswith("F")}
    assert codes == {code, "F318", "F432"}
    told = fiche("import", table, log, record, *options, "--json")
    assert told.code == 2
    document = told.json()
    validator = jsonschema_rs.Draft202012Validator(json.loads(schema_text("pieces.schema.json")))
    assert list(validator.iter_errors(document)) == []
    assert [piece["kind"] for piece in document["pieces"]] == ["torch_oom"]
    first, second = document["refused"]
    assert (first["file"], first["code"]) == (str(table), code)
    assert (second["file"], second["path"]) == (str(record), "/gpu")
    assert "refused" not in fiche("import", log, "--json").json()


@pytest.mark.parametrize("kind", ["quote", "datasheet", "result", "document"])
def test_what_people_read_is_shown_whatever_it_is_to_be_in_a_fiche(fiche, write, kind):
    ended = fiche("import", write("q.txt", "Total: 22,770.00 EUR\nThank you\n"), "--kind", kind)
    assert (ended.code, ended.err) == (0, "")
    assert f"q.txt: {kind}, text" in ended.out
    assert "line 1  Total: 22,770.00 EUR" in ended.out


def test_redaction_says_how_many_things_it_replaced(fiche, write):
    log = write("a.log", f"/home/marie/train.py\n{OOM}/home/marie/x.py\n")
    assert "  redacted: 1 user (2 places)\n" in fiche("import", log, "--redact").out
    assert fiche("import", log, "--redact", "--json").json()["pieces"][0]["redacted"] == {"user": 1}
    plain = write("b.log", OOM)
    assert "  redacted: nothing was replaced\n" in fiche("import", plain, "--redact").out
    assert fiche("import", plain, "--redact", "--json").json()["pieces"][0]["redacted"] == {}
    assert "redacted" not in fiche("import", plain, "--json").json()["pieces"][0]


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


def test_a_document_that_is_too_large(fiche, write, monkeypatch):
    monkeypatch.setattr("fiche.importers._intake.SHORT", 10)
    monkeypatch.setattr("fiche.importers._opened.MAX_BYTES", 20)
    ended = fiche("import", write("a.json", document_bytes(RECORD)))
    assert ended.code == 2
    assert "F425" in ended.err


# --- Long logs and standard input -----------------------------------------------------------------


def piped(content, *arguments):
    """`... | fiche import ARGUMENTS`, as a process of its own."""
    command = [sys.executable, "-m", "fiche", "import", *map(str, arguments)]
    return subprocess.run(command, input=content, capture_output=True, timeout=100)


def long_log(num_bytes):
    line = b"2025-06-05 06:18:13 INFO train.py:88 step=1234 loss=0.58 memory 12.3 GiB of 24\n"
    return line * (num_bytes // len(line)) + OOM.encode()


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, bz2.compress])
def test_a_log_beyond_memory_is_read_in_constant_memory(write, fiche, pack):
    content = long_log(20_000_000)
    log = write("big.log", packed := pack(content))
    piece = fiche("import", log, "--json").json()["pieces"][0]
    assert (piece["bytes"], piece["kind"]) == (len(packed), "torch_oom")
    assert piece["sha256"] == hashlib.sha256(packed).hexdigest()
    (failure,) = piece["failures"]
    assert (failure["line"], failure["rank"]) == (content.count(b"\n"), 3)
    assert any(text.startswith(f"excerpt: all {len(content)} bytes") for text in piece["warnings"])
    assert any(text.startswith("unpacked: ") for text in piece["warnings"]) == (pack is not bytes)


@pytest.mark.parametrize(
    "document",
    [document_bytes(RECORD) + b" " * 17_000_000, journal_bytes(RECORD) + b"\n" * 17_000_000],
)
def test_a_long_document_is_read_whole(write, fiche, document):
    piece = fiche("import", write("m.json", document), "--json").json()["pieces"][0]
    assert (piece["kind"], len(piece["observations"])) == ("fiche_record", 17)
    assert not any(text.startswith("excerpt") for text in piece["warnings"])


def test_a_long_file_of_a_known_format_is_named(write, fiche, monkeypatch):
    monkeypatch.setattr("fiche.importers._opened.MAX_BYTES", 1 << 24)
    model = write("m.gguf", b"GGUF\x03" + bytes(18_000_000))
    assert "F421" in fiche("import", model).err


@pytest.mark.parametrize("num_bytes", [0, 20_000_000])
def test_standard_input_is_read_to_its_end(num_bytes):
    content = long_log(num_bytes)
    ended = piped(content, "-", "--json")
    assert (ended.returncode, ended.stderr) == (0, b"")
    piece = json.loads(ended.stdout)["pieces"][0]
    assert piece["file"] == "-"
    assert piece["sha256"] == hashlib.sha256(content).hexdigest()
    assert piece["failures"][0]["line"] == content.count(b"\n")


def test_standard_input_is_one_file(write):
    ended = piped(OOM.encode(), "-", "-")
    assert ended.returncode == 2
    assert ended.stderr.startswith(b"F475 -: standard input is named twice")
    assert piped(b"", "-").returncode == 2


def test_standard_input_is_kept_only_where_there_is_room(fiche, monkeypatch):
    from shutil import disk_usage

    from fiche.cli import evidence

    monkeypatch.setattr(evidence, "SHORT", 2**20)
    monkeypatch.setattr(evidence, "_LOOK_EVERY", 2**20)
    monkeypatch.setattr(evidence, "_KEPT_FREE", disk_usage("/").total * 2**20)
    content = b"x" * 2**22
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    ended = fiche("import", "-")
    assert ended.code == 2
    assert ended.err.startswith("F318 standard input is too long for ")
    assert "TMPDIR" in ended.err
    monkeypatch.setattr(evidence, "MOST_UNPACKED", 2**21)
    monkeypatch.setattr(evidence, "_KEPT_FREE", 0)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert fiche("import", "-").err.startswith("F319 standard input is longer than 2 MiB")


@pytest.mark.skipif(not Path("/proc/self/pagemap").exists(), reason="a file of Linux")
def test_a_file_of_the_system_that_has_no_end_is_refused(fiche, monkeypatch):
    from fiche.cli import evidence

    monkeypatch.setattr(evidence, "PIECE_LIMIT", 2**20)
    ended = fiche("import", "/proc/self/pagemap")
    assert (ended.code, ended.err[:5]) == (2, "F319 ")
    assert fiche("import", "/proc/self/status").err.startswith("F420")


@pytest.mark.skipif(os.name == "nt" or sys.platform == "darwin", reason="names there are text")
def test_a_name_that_is_no_text_is_shown_alike_wherever_it_stands(fiche, tmp_path):
    shown = f"{tmp_path}/a\u2039U+DCFF\u203ab.log"
    for content in (OOM.encode(), b"nothing"):
        path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xffb.log"))
        path.write_bytes(content)
        ended = fiche("import", path)
        assert shown in "".join((ended.out + ended.err).split())


def test_a_terminal_is_no_file():
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "fiche", "import", "-"]
    ended = subprocess.run(command, stdin=theirs, capture_output=True, timeout=60)
    os.close(ours), os.close(theirs)
    assert ended.returncode == 2
    assert ended.stderr.startswith(b"F475 -: standard input is a terminal")


def test_a_document_shows_pages_and_lines_to_quote_and_no_fact(fiche, write):
    """D3: words are found, never understood."""
    path = write("quote.pdf", pdf("Quote 2291\n109.99 USD per lot", "valid until 2026-12-15"))
    ended = fiche("import", path)
    assert ended.code == 0
    text = " ".join(ended.out.split())
    assert "document, pdf" in text
    assert "2 pages" in text
    assert "page 1 109.99 USD per lot" in text
    assert "page 2 valid until 2026-12-15" in text
    assert "no fact is made of them" in text
    (told,) = fiche("import", path, "--json").json()["pieces"]
    assert told["facts"] == {}


def test_scores_are_shown_with_error_shots_and_place(fiche, write):
    path = write("results.json", json.dumps(results()))
    text = " ".join(fiche("import", path).out.split())
    assert "arc_easy, 0 shots acc" in text
    assert "± 0.0079" in text
    assert "warning: stderr_missing" in text


def test_a_snapshot_is_drawn_into_a_file_of_its_own(fiche, tmp_path):
    """C4: the two peaks are marked at their own instants."""
    snapshot = Path(__file__).parents[2] / "samples" / "incident" / "evidence" / "snapshot.pickle"
    drawn = tmp_path / "memory.svg"
    assert fiche("import", snapshot, "--picture", drawn).code == 0
    text = drawn.read_text(encoding="utf-8")
    assert text.startswith("<svg ")
    assert "at 2.150" in text
    assert "at 3.000" in text
    again = fiche("import", snapshot, "--picture", drawn)
    assert (again.code, again.err.split()[0]) == (2, "F610")


def test_nothing_is_drawn_where_there_is_nothing_to_draw(fiche, write, tmp_path):
    log = write("a.log", b"RuntimeError: CUDA error: out of memory\n")
    refused = fiche("import", log, "--picture", tmp_path / "x.svg")
    assert (refused.code, refused.err.split()[0]) == (2, "F702")
    assert not (tmp_path / "x.svg").exists()
