"""`fiche explain` on what pieces tell: the line as importers see it, around the figure."""

import bz2
import gzip
import hashlib
import importlib
import json
import lzma
import pickle
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.cli import quoted, quoted_json
from fiche.cli.compile import compile_fiche
from fiche.cli.concerns import concerning
from fiche.cli.entries import entries
from fiche.cli.entries_text import counters_of
from fiche.cli.quoted import LONGEST, find, stands_at, window
from fiche.cli.quotes import Quotes
from fiche.cli.terminal import clean
from fiche.importers._snapshot_entry import entry_text
from fiche.kernel.address import Pointer, Span
from fiche.kernel.piece import Observation, Piece, Reading
from fiche.kernel.rounding import exact_bytes

zstd = importlib.import_module(
    "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
)

FICHE = """\
fiche: 1
title: A test
date: 2026-11-29
author: A. Martin
workload:
  model: {name: m, revision: r, parameters: 7000000000, layers: 32, kv_heads: 8, head_dim: 128}
  operation: generation
  formats: {storage: bf16, cache: bf16}
  cases:
    - {id: limit, role: limit, prompt_tokens: 8000, new_tokens: 192, resident_sequences: 1}
pieces:
  - {id: piece, file: FILE, kind: KIND}
requirements:
  - {id: memory, kind: memory, level: must, cases: [limit]}
candidates:
  - {id: one, gpu: nvidia-rtx-4090-24g, cards: 1}
"""
OOM = (
    "RuntimeError: CUDA out of memory. Tried to allocate 978.00 MiB (GPU 0; 14.76 GiB total capacity; "
    "12.61 GiB already allocated; 387.75 MiB free; 13.31 GiB reserved in total by PyTorch)\n"
)
VLLM = """\
INFO 05-19 14:06:50 [core.py:58] Initializing a V1 LLM engine (v0.8.5) with config: model='m/m'
INFO 05-19 14:07:03 [gpu_model_runner.py:1347] Model loading took 7.6065 GiB and 3.184077 seconds
INFO 05-19 14:07:40 [kv_cache_utils.py:634] GPU KV cache size: 36,208 tokens
"""


@pytest.fixture
def cited(tmp_path):
    """A fiche that cites one piece of those bytes."""

    def write(content, name="run.log", kind="torch_oom"):
        (tmp_path / name).write_bytes(content)
        path = tmp_path / "chat.yaml"
        text = FICHE.replace("FILE", name).replace("KIND", kind)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def flat(ended):
    assert ended.code == 0, ended.err
    return " ".join(ended.out.split())


# --- Hostile pieces -----------------------------------------------------------------------------

ACTING = "\x1b[31mR\x07\x1b]0;t\x07\u202e\u200b\x9b31m<script>"
HOSTILE = {
    "escapes around the line": (ACTING + OOM.strip() + ACTING + "\n").encode(),
    "a line of two megabytes": b"A" * 900_000 + b" " + OOM.strip().encode() + b"B\x1b[2J" * 200_000,
    "bytes that are no text": b"\xff\x1b[31m\x00" * 500 + OOM.strip().encode() + b"\x9b\x00" * 500,
    "a line drawn over": OOM.replace("\n", "\r\x1b[2K").encode() + b"\n",
}


@pytest.mark.parametrize("packed", [bytes, gzip.compress], ids=["plain", "packed"])
@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_of_a_hostile_piece_acts_on_the_terminal(fiche, cited, name, packed):
    """Law 7: neither in an index, nor in the table of a piece, nor in the words around a figure."""
    path = cited(packed(HOSTILE[name]))
    for asked in ([], ["piece"], ["piece/failure.1"], ["piece/failure.1.requested"]):
        ended = fiche("explain", path, *asked)
        assert ended.code == 0, ended.err
        assert ended.out == clean(ended.out)
        assert max(map(len, ended.out.split("\n"))) < 2 * LONGEST
        assert fiche("explain", path, *asked, "--json").out.isascii()


@pytest.mark.parametrize("asked", [ACTING, f"piece/{ACTING}", "\udcff", "x" * 100_000, "../.."])
def test_an_id_that_is_asked_for_may_be_hostile(fiche, cited, asked):
    ended = fiche("explain", cited(OOM.encode()), asked)
    assert (ended.code, ended.out, ended.err[:5]) == (2, "", "F701 ")
    assert ended.err == clean(ended.err)
    assert len(ended.err) < 2000


# --- Wrappings ----------------------------------------------------------------------------------

WRAPPINGS = {
    "plain": bytes,
    "gzip": gzip.compress,
    "zstd": zstd.compress,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
    "utf-16": lambda content: content.decode().encode("utf-16"),
    "utf-32-be": lambda content: b"\x00\x00\xfe\xff" + content.decode().encode("utf-32-be"),
}


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_the_line_is_that_of_the_text_inside(fiche, cited, wrapping):
    """Lines are counted in the text that importers see: no byte of the packing is shown."""
    path = cited(WRAPPINGS[wrapping](b"step 1\nstep 2\n" + OOM.encode()))
    out = flat(fiche("explain", path, "piece/failure.1.requested"))
    assert "at piece#line 3" in out
    assert "> RuntimeError: CUDA out of memory. Tried to allocate 978.00 MiB (GPU 0" in out
    assert "printed: 978.00 MiB" in out
    assert out == clean(out)
    assert "\ufffd" not in out


def test_a_member_of_packed_json_is_shown(fiche, cited):
    content = json.dumps({"train_mem_gpu_peaked_delta": 5093982208, "epoch": 1.0})
    path = cited(gzip.compress(content.encode()), "all_results.json.gz", "hf_trainer_metrics")
    out = flat(fiche("explain", path, "piece/reading.1"))
    assert "at piece#/train_mem_gpu_peaked_delta" in out
    assert '> {"train_mem_gpu_peaked_delta": 5093982208, "epoch": 1.0}' in out


@given(st.binary(max_size=400), st.integers(1, 4))
def test_bytes_that_are_no_text_are_never_shown(content, line):
    """Law 7: what is quoted has at most one odd character in ten."""
    for pointer in (
        Pointer(sha256="0" * 64, line=line),
        Pointer(sha256="0" * 64, path="byte 3"),
        Pointer(sha256="0" * 64, path="/a/0"),
        Pointer(sha256="0" * 64, path="device_traces/0/1"),
    ):
        told = stands_at(pointer, content, "978.00 MiB")
        odd = sum(c == "\ufffd" or (c < " " and c not in "\t\x1b") for c in told)
        assert odd * 10 <= len(told)
        assert len(told) <= LONGEST + 130


def test_a_line_of_an_archive_that_somebody_cites_as_text_is_not_shown():
    packed = gzip.compress(bytes(range(256)) * 40)
    assert stands_at(Pointer(sha256="0" * 64, line=1, text="a line"), packed, "") == "a line"


def test_words_of_a_document_are_shown_with_their_page():
    pointer = Pointer(sha256="0" * 64, path="page 2", text="for three days: 47.14 USD")
    assert stands_at(pointer, b"%PDF-1.7 \x00\xff", "47.14 USD") == "for three days: 47.14 USD"


# --- The window ---------------------------------------------------------------------------------


def test_the_figure_is_in_its_quote_however_long_the_line(fiche, cited):
    before = "worker 3 says: " * 40
    path = cited((before + OOM.rstrip() + " and then " * 60 + "\n").encode())
    for name, text in (("requested", "978.00 MiB"), ("reserved_total", "13.31 GiB")):
        ended = fiche("explain", path, f"piece/failure.1.{name}")
        quote = flat(ended).split(" at piece#line 1 ")[1]
        quote = quote.split(" Read in:")[0].split(" warning:")[0]
        assert quote.startswith("> …")
        assert quote.endswith("…")
        assert text in quote


@given(st.text("ab 0", max_size=900), st.text("ab 0", max_size=900))
def test_a_window_holds_its_place_and_is_bounded(before, after):
    text = f"{before}7.6065 GiB{after}"
    told = window(text, len(before), len(before) + 10)
    assert "7.6065 GiB" in told
    assert len(told) <= LONGEST
    assert told.strip("…") in text
    assert told.startswith("…") or text.startswith(told.rstrip("…"))
    assert told.endswith("…") or text.endswith(told.lstrip("…"))


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        ("36208", "size: 36,208 tokens"),
        ("22036MiB", "|   22036MiB /  23034MiB |"),
        ("30874 MiB", "Used              : 30874 MiB"),
        ("0", "init_mem 10, gpu 0"),
        ("4.87 GB", "at 14.87 GB of 4.87 GB"),
        ("8", "18,8"),
        ("318", "1,318 and 318"),
    ],
)
def test_a_figure_is_found_however_its_program_fills_a_column(printed, text):
    found = find(text, printed)
    assert found is not None
    assert not text[: found[0]][-1:].isdecimal()
    assert text[: found[0]][-2:] != "1,"
    assert text[found[0] : found[1]].replace(" ", "").replace(",", "") == printed.replace(" ", "")


@pytest.mark.parametrize("text", ["18.5", "8.5", "188", "no figure"])
def test_a_part_of_another_figure_is_not_it(text):
    assert find(text, "8") is None


def test_a_message_that_a_terminal_broke_is_quoted_where_the_figure_is(fiche, cited):
    lines = "\n".join(OOM[at : at + 60] for at in range(0, len(OOM), 60))
    assert "978.00" in lines
    path = cited(lines.encode())
    told = fiche("explain", path, "piece/failure.1.free", "--json").json()
    assert "387.75 MiB free" in told["figures"][0]["read"]["text"]


def test_colours_of_a_terminal_are_left_out():
    line = b"\x1b[32mallocated\x1b[0m 7.6065 GiB\r\n"
    told = stands_at(Pointer(sha256="0" * 64, line=1), line, "7.6065 GiB")
    assert told == "allocated 7.6065 GiB"


def test_a_figure_that_no_line_holds_says_so(fiche, cited):
    """A level of a snapshot is replayed: its place shows the entry, not the figure."""
    path = cited(pickle.dumps(SNAPSHOT, protocol=4), "s.pickle", "torch_snapshot")
    out = flat(fiche("explain", path, "piece/reading.2"))
    assert "reserved_bytes" in out
    assert "3145728: not printed so, it follows from what stands there" in out
    assert "> action segment_alloc, addr 2, size 1048576" in out


# --- JSON ---------------------------------------------------------------------------------------


def test_a_pointer_into_json_shows_the_member_among_its_neighbours(fiche, cited):
    content = json.dumps({"max_ram": 1, **{f"k{n}": n for n in range(50)}, "deep": {"x": [1, 2]}})
    before, body, at = quoted_json.member_text(content.encode(), "/k20")
    assert before == ""
    assert body.startswith('{…, "k12": 12')
    assert body.endswith('"k28": 28, …}')
    assert body[at:].startswith('"k20": 20,')
    assert quoted_json.member_text(content.encode(), "/deep/x/1") == ("/deep/x: ", "[1, 2]", 4)


def test_numbers_of_json_are_shown_as_they_are_written():
    content = b'{"a": 1.50, "b": 1e3, "c": 100000000000000000000000, "d": NaN}'
    _, body, _ = quoted_json.member_text(content, "/a")
    assert body == '{"a": 1.50, "b": 1e3, "c": 100000000000000000000000, "d": NaN}'


@pytest.mark.parametrize("content", [b"", b"[" * 9000, b"{", b"\xff\xfe", b'"text"', b"[1]"])
def test_json_that_leads_nowhere_is_no_error(content):
    assert quoted_json.member_text(content, "/0/a") == ("", "", 0)


def test_a_document_that_is_too_long_is_told_by_its_pointer(monkeypatch):
    monkeypatch.setattr(quoted_json, "MOST_BYTES", 4)
    pointer = Pointer(sha256="0" * 64, path="/peak", text="peak: 12345")
    assert stands_at(pointer, b'{"peak": 12345}', "12345") == "peak: 12345"


def test_a_file_of_one_document_a_line_has_line_and_pointer(fiche, cited):
    rows = [
        {"current_steps": n, "total_steps": 9, "loss": 1.5, "vram_allocated": 20.0 + n / 100}
        for n in range(1, 4)
    ]
    content = "".join(json.dumps(row) + "\n" for row in rows)
    path = cited(content.encode(), "trainer_log.jsonl", "llamafactory_log")
    out = flat(fiche("explain", path, "piece/reading.2"))
    assert "at piece#line 2, /vram_allocated" in out
    assert '"vram_allocated": 20.02}' in out


# --- Snapshots ----------------------------------------------------------------------------------


def segment(address, count):
    block = {
        "size": count,
        "requested_size": count,
        "state": "active_allocated",
        "address": address,
    }
    return {
        "device": 0,
        "address": address,
        "total_size": count,
        "allocated_size": count,
        "active_size": count,
        "stream": 0,
        "segment_type": "large",
        "blocks": [block],
    }


def entry(action, address, count):
    return {
        "action": action,
        "addr": address,
        "size": count,
        "stream": 0,
        "frames": [{"filename": "m.py", "line": 3, "name": "f"}],
    }


MIB = 1 << 20
SNAPSHOT = {
    "segments": [segment(1, 2 * MIB), segment(2, MIB)],
    "device_traces": [
        [
            entry("segment_alloc", 1, 2 * MIB),
            entry("alloc", 1, 2 * MIB),
            entry("segment_alloc", 2, MIB),
            entry("alloc", 2, MIB),
        ]
    ],
    "allocator_settings": {"max_split_size": -1},
}


def told_at(value, path):
    return entry_text(pickle.dumps(value, protocol=4), "0" * 64, path)


def test_an_entry_of_a_trace_is_told_with_its_call():
    told = told_at(SNAPSHOT, "device_traces/0/2")
    assert told == "action segment_alloc, addr 2, size 1048576, stream 0, at m.py:3 f"


def test_a_segment_is_the_first_of_those_that_were_summed():
    told = told_at(SNAPSHOT, "segments/0")
    assert told.startswith(
        "first of 2 segments of device 0: device 0, address 1, total_size 2097152"
    )
    assert told.endswith("blocks 1")
    assert told_at(SNAPSHOT["segments"], "segments/1").startswith("first of 2 segments")
    assert told_at(SNAPSHOT, "allocator_settings/max_split_size") == "-1"


@pytest.mark.parametrize("path", ["segments/9", "device_traces/1/0", "segments/x", "gone/0", ""])
def test_a_place_that_is_not_there_has_no_words(path):
    assert told_at(SNAPSHOT, path) == ""


class Hostile:
    def __reduce__(self):
        return (print, ("run",))


def test_a_pickle_that_names_code_is_never_built(capfd):
    """Law 7: a quote goes the same way as the reading."""
    assert told_at({"segments": [Hostile()]}, "segments/0") == ""
    assert capfd.readouterr().out == ""


def test_a_cut_or_long_snapshot_has_no_words(monkeypatch):
    content = pickle.dumps(SNAPSHOT, protocol=4)
    assert entry_text(content[:-40], "0" * 64, "segments/0") == ""
    monkeypatch.setattr("fiche.importers._snapshot_entry.MOST_BYTES", 10)
    assert entry_text(content, "0" * 64, "segments/0") == ""


# --- What belongs to a reading ------------------------------------------------------------------


def test_a_plan_is_told_as_one_with_its_program_and_line(fiche, cited):
    path = cited(VLLM.encode(), kind="vllm_log")
    out = flat(fiche("explain", path, "piece/planned.1"))
    assert out.startswith("piece/planned.1 = 36 208 tokens [planned]")
    assert "a plan (a budget that follows from settings): it was not measured" in out
    assert "printed by vllm 0.8.5, read as vllm_log" in out
    assert "at piece#line 3" in out
    assert "GPU KV cache size: 36,208 tokens" in out
    assert "warning: budget_not_need:" in out
    told = fiche("explain", path, "piece/planned.1", "--json").json()
    assert (told["reading"]["sort"], told["figures"][0]["basis"]) == ("planned", "planned")
    assert told["figures"][0]["kind_of_origin"] == "budget"


def test_a_warning_of_a_plan_does_not_stand_beside_a_measurement(fiche, cited):
    path = cited(VLLM.encode(), kind="vllm_log")
    out = flat(fiche("explain", path, "piece/reading.1"))
    assert "[observed]" in out
    assert "scope process allocator, stat delta" in out
    assert "budget_not_need" not in out


def test_a_failure_is_told_whole(fiche, cited):
    text = OOM.replace("RuntimeError", "[rank3]: RuntimeError")
    path = cited(text.encode())
    out = flat(fiche("explain", path, "piece/failure.1"))
    assert "device memory, cuda, device 0, rank 3" in out
    assert "a failure is no need" in out
    for printed in ("978.00 MiB", "14.76 GiB", "12.61 GiB", "387.75 MiB", "13.31 GiB"):
        assert f"printed: {printed}" in out
    told = fiche("explain", path, "piece/failure.1", "--json").json()
    assert told["reading"]["sort"] == "failure"
    assert "978.00 MiB" in told["read"]["text"]
    assert {figure["id"] for figure in told["figures"]} >= {"piece/failure.1.requested"}


def test_a_result_is_explained(fiche, cited):
    content = {
        "results": {"arc": {"alias": "arc", "acc,none": 0.5512, "acc_stderr,none": 0.01}},
        "versions": {"arc": 1},
        "n-shot": {"arc": 25},
        "configs": {"arc": {"task": "arc"}},
    }
    path = cited(json.dumps(content).encode(), "results.json", "lm_eval_results")
    told = fiche("explain", path, "piece/result.1", "--json").json()
    assert told["reading"]["sort"] == "result"
    assert '"acc,none": 0.5512' in told["figures"][0]["read"]["text"]
    assert "printed: 0.5512" in flat(fiche("explain", path, "piece/result.1"))


def test_a_value_that_was_not_printed_is_missing_and_not_zero(fiche, cited):
    """C2: the id is in decision.json, so it leads somewhere."""
    text = (
        "index, memory.used [MiB], memory.total [MiB]\n0, [N/A], 24564 MiB\n1, 300 MiB, 24564 MiB\n"
    )
    path = cited(text.encode(), "smi.csv", "nvidia_smi_csv")
    rows = fiche("explain", path, "piece", "--json").json()["readings"]
    (name,) = [row["id"] for row in rows if "N/A" in row["printed"]]
    out = flat(fiche("explain", path, name))
    assert out.startswith(f"{name} = not available [observed]")
    assert "> 0, [N/A], 24564 MiB" in out


def seen(**keys):
    told = {"counter": "mem.used", "scope": "device", "stat": "current", **keys}
    place = Pointer(sha256="0" * 64, line=told.pop("line", 7))
    return Observation(kind_of_origin="measured", pointer=place, value=exact_bytes(1), **told)


@pytest.mark.parametrize(
    ("warning", "keys", "concerned"),
    [
        ("sampled: read every 10 ms", {}, True),
        ("truncated: the last row breaks off (line 7)", {}, True),
        ("truncated: the last row breaks off (lines 3, 8)", {}, False),
        ("truncated: the last row breaks off (lines 3, 8 and 9 more)", {}, True),
        ("window_only: levels of device 1", {"device_index": 1}, True),
        ("window_only: levels of device 1", {"device_index": 0}, False),
        ("window_only: levels of device 1", {}, True),
        ("rank_0_only: rank 0 alone prints", {"rank": 3}, False),
        ("zero_may_be_unmeasured: mem.free is 0", {}, False),
        ("zero_may_be_unmeasured: mem.used is 0", {}, True),
        ("budget_not_need: a plan", {}, False),
        ("self_process_not_identified: processes are listed", {}, False),
        ("secret_in_file: this looks like a secret: line 7", {}, False),
        ("allocated_peak_bounded: known as an interval", {}, False),
        ("allocated_peak_bounded: known as an interval", {"counter": "allocated_bytes"}, True),
    ],
)
def test_a_warning_concerns_what_it_names(warning, keys, concerned):
    reading = Reading(
        kind="k",
        shape="s",
        observations=(seen(**keys), seen(counter="mem.free")),
        warnings=(warning,),
    )
    span = Span(file="f", line=1, column=1)
    piece = Piece(
        id="p",
        file="f",
        sha256="0" * 64,
        num_bytes=1,
        media_type="text/plain",
        kind="k",
        version="",
        span=span,
        reading=reading,
    )
    told = list(entries(piece))
    assert [*concerning(told[0], counters_of(told))] == [warning] * concerned


def test_of_a_log_that_is_never_held_the_words_that_were_read_are_shown(monkeypatch, cited):
    """What unpacks to more than fits is not unpacked for a quote."""
    path = cited(gzip.compress(OOM.encode()))
    compiled = compile_fiche(path)
    monkeypatch.setattr("fiche.importers._opened.MAX_BYTES", 10)
    quotes = Quotes(compiled.decision.fiche, compiled.contents)
    (failure,) = compiled.decision.fiche.pieces[0].reading.failures
    assert "978.00 MiB" in quotes.of(failure.pointer, "978.00 MiB").text


# --- Lists --------------------------------------------------------------------------------------


def steps(count):
    rows = [
        {
            "current_steps": n,
            "total_steps": count,
            "loss": 1.5,
            "vram_allocated": 20 + (n * 7 % 90) / 100,
        }
        for n in range(1, count + 1)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_a_long_series_is_one_row_under_the_id_of_its_extreme(fiche, cited):
    path = cited(steps(150), "trainer_log.jsonl", "llamafactory_log")
    told = fiche("explain", path, "--json").json()
    assert len([name for name in told["readings"] if "/reading." in name]) == 150
    (row,) = [row for row in told["series"] if row["piece"] == "piece"]
    assert (row["count"], row["printed"]) == (150, "20.89")
    out = fiche("explain", path).out
    assert "largest of 150" in " ".join(out.split())
    lines = [line for line in out.splitlines() if "piece/reading." in line]
    assert len(lines) == 1
    assert all(words in lines[0] for words in (row["id"], "vram_allocated", "20.89"))
    assert row["at"].split("#")[1].split(",")[0] in lines[0]


def test_the_id_of_a_piece_lists_all_that_it_tells(fiche, cited):
    path = cited(steps(30), "trainer_log.jsonl", "llamafactory_log")
    told = fiche("explain", path, "piece", "--json").json()
    assert len(told["readings"]) == 30
    out = fiche("explain", path, "piece").out
    assert sum("piece/reading." in line for line in out.splitlines()) == 30


def test_every_listed_id_can_be_explained_and_is_in_the_decision(fiche, cited, tmp_path):
    """The report, decision.json and explain know a figure by the same id."""
    path = cited((VLLM + OOM).encode(), kind="torch_oom+vllm_log")
    listed = [row["id"] for row in fiche("explain", path, "piece", "--json").json()["readings"]]
    assert {"piece/reading.1", "piece/planned.1", "piece/failure.1"} < {*listed}
    assert fiche("report", path, "-o", tmp_path / "out", "--formats", "html,json").code == 0
    decision = (tmp_path / "out" / "decision.json").read_text(encoding="utf-8")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for name in listed:
        assert f'"id":"{name}"' in decision
        assert fiche("explain", path, name).code == 0
    for name in ("piece/reading.1", "piece/planned.1", "piece/failure.1"):
        assert f"<tr id={name}>" in page
        assert f"<code>/{name.partition('/')[2]}</code>" in page
    assert re.search(r'<data value="?piece/reading\.1\b', page)


def test_ids_are_never_broken_over_lines(fiche, cited, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    path = cited(OOM.encode())
    assert "piece/failure.1.total_capacity" in fiche("explain", path).out


def test_a_line_far_down_is_found_without_splitting_the_file():
    content = b"x\n" * 1_500_000 + b"here 7.6065 GiB\nbelow\n"
    pointer = Pointer(sha256=hashlib.sha256(content).hexdigest(), line=1_500_001)
    assert stands_at(pointer, content, "7.6065 GiB") == "here 7.6065 GiB"
    assert quoted.stands_at(Pointer(sha256="0" * 64, line=1_600_000), content, "") == ""
