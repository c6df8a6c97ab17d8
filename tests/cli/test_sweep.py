"""`fiche estimate --sweep` and `--set`: one variable at a time, or every combination (D6)."""

import csv
import io

import pytest

BASE = ("estimate", "--parameters", 7_000_000_000, "--format", "bf16", "--layers", 32)
BASE += ("--kv-heads", 8, "--head-dim", 128, "--cache", "bf16", "--sequences", 1, "--tokens", 4096)
PER_TOKEN = 131_072


def points(ended):
    assert ended.code == 0, ended.err
    return ended.json()["points"]


def test_one_variable_changes_at_a_time(fiche):
    found = points(
        fiche(*BASE, "--sweep", "context=2048,8192", "--sweep", "concurrency=1,4", "--json")
    )
    assert [point["values"] for point in found] == [
        {"context": "2048"},
        {"context": "8192"},
        {"concurrency": "1"},
        {"concurrency": "4"},
    ]
    cached = [point["items"]["kv_cache"]["low"] // PER_TOKEN for point in found]
    assert cached == [2048, 8192, 4096, 4 * 4096]


def test_a_grid_is_every_combination(fiche):
    sweeps = ("--sweep", "concurrency=1,2", "--sweep", "context=1024,2048")
    found = points(fiche(*BASE, *sweeps, "--grid", "--json"))
    cached = [point["items"]["kv_cache"]["low"] // PER_TOKEN for point in found]
    assert cached == [1024, 2048, 2048, 4096]
    assert len(found[3]["values"]) == 2


def test_a_word_builds_the_load_anew(fiche):
    found = points(fiche(*BASE, "--sweep", "storage=bf16,int8,nf4,fp32", "--json"))
    weights = [point["items"]["weights"]["low"] for point in found]
    assert weights == [14_000_000_000, 7_000_000_000, 3_500_000_000, 28_000_000_000]


def test_csv_holds_bytes_and_leaves_open_ends_empty(fiche):
    ended = fiche(*BASE, "--sweep", "context=1024,2048", "--csv")
    rows = list(csv.DictReader(io.StringIO(ended.out)))
    assert [row["kv_cache low (B)"] for row in rows] == ["134217728", "268435456"]
    assert rows[0]["workspace high (B)"] == ""
    assert rows[0]["context"] == "1024"


def test_the_table_says_what_it_leaves_out(fiche):
    ended = fiche(*BASE, "--sweep", "context=1024,2048")
    assert "in GiB" in ended.out
    assert "0.13" in ended.out
    told, _, left_out = ended.out.partition("Left out of the envelope:")
    assert "transient loading" in left_out
    assert "transient loading" not in told


@pytest.mark.parametrize("columns", [80, 120])
def test_the_table_fits_the_terminal(fiche, monkeypatch, columns):
    """What stays the same stands once above the table, so that what changes has room."""
    monkeypatch.setenv("COLUMNS", str(columns))
    sweeps = ("--sweep", "context=2048,131072", "--sweep", "cache=bf16,fp8_e4m3", "--grid")
    out = fiche(*BASE, *sweeps).out
    assert max(len(line) for line in out.splitlines()) <= columns
    assert "the same at every point: weights 13.04" in out
    assert "unknown at every point: workspace" in out
    (head,) = [line for line in out.splitlines() if line.startswith("context")]
    assert head.split() == ["context", "cache", "kv", "cache", "floor", "envelope"]
    row = next(line for line in out.splitlines() if line.startswith("131072   fp8"))
    assert row.split() == ["131072", "fp8_e4m3", "8.00", "21.04", "21.04"]


def test_a_setting_changes_options_and_fiches_alike(fiche, tmp_path):
    more = fiche(*BASE, "--set", "resident_sequences=2", "--json").json()
    held = {figure["id"]: figure for figure in more["figures"]}
    assert held["kv_cache"]["bytes"] == 2 * 4096 * PER_TOKEN
    told = tmp_path / "chat.yaml"
    told.write_text(
        "fiche: 1\ntitle: T\ndate: 2026-11-29\nauthor: A\nworkload:\n"
        "  model: {parameters: 7000000000, layers: 32, kv_heads: 8, head_dim: 128}\n"
        "  operation: generation\n  formats: {storage: bf16, cache: bf16}\n  cases:\n"
        "    - {id: a, role: usual, prompt_tokens: 1000, new_tokens: 24, resident_sequences: 1}\n"
        "    - {id: b, role: limit, prompt_tokens: 2000, new_tokens: 48, resident_sequences: 1}\n"
        "candidates:\n  - {id: one, gpu: nvidia-rtx-4090-24g, cards: 1}\n",
        encoding="utf-8",
    )
    found = points(fiche("estimate", told, "--sweep", "context=4096", "--json"))
    assert [point["case"] for point in found] == ["a", "b"]
    assert {p["items"][f"{p['case']}.kv_cache"]["low"] // PER_TOKEN for p in found} == {4096}
    one = fiche("estimate", told, "--set", "cases.b.prompt_tokens=3952", "--json").json()
    held = {figure["id"]: figure for figure in one["figures"]}
    assert held["b.kv_cache"]["bytes"] == 4000 * PER_TOKEN
    assert held["a.kv_cache"]["bytes"] == 1024 * PER_TOKEN


def test_a_list_is_set_with_commas(fiche):
    load = ("--operation", "adaptation", "--set", "method.kind=lora", "--set", "method.rank=8")
    one = fiche("estimate", "--parameters", 7, "--bits", 16, *load, "--json")
    two = fiche(
        "estimate",
        "--parameters",
        7,
        "--bits",
        16,
        *load,
        "--set",
        "method.targets=q_proj,v_proj",
        "--json",
    )
    assert (one.code, two.code) == (0, 0)
    assert "state method.targets" not in two.out


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--sweep", "context"), "F702"),
        (("--sweep", "=1,2"), "F702"),
        (("--sweep", "context=1", "--sweep", "context=2"), "F702"),
        (("--sweep", "nothing=1"), "F701"),
        (("--sweep", "context=1e3"), "F206"),
        (("--sweep", "context=1", "--solve", "context"), "F702"),
        (("--sweep", "context=1", "--csv", "--json"), "F702"),
        (("--csv",), "F702"),
        (("--grid",), "F702"),
        (("--set", "engine.name"), "F702"),
        (("--set", "nothing=1"), "F701"),
        (("--set", "model.layers=4.5"), "F206"),
        (("--set", "cases.limit.prompt_tokens=1"), "F701"),
    ],
)
def test_what_cannot_be_swept_or_set_is_refused(fiche, options, code):
    ended = fiche(*BASE, *options)
    assert (ended.code, ended.out) == (2, "")
    assert code in ended.err


def test_a_grid_has_an_end(fiche):
    many = ",".join(str(number) for number in range(1, 1001))
    sweeps = ("--sweep", f"context={many}", "--sweep", f"concurrency={many}")
    ended = fiche(*BASE, *sweeps, "--grid")
    assert ended.code == 2
    assert "1000000 points" in ended.err


@pytest.mark.parametrize(
    ("values", "code", "words"),
    [
        ("0,1024", "F305", "0 is below 1"),
        ("\u0663,1024", "F204", "is not a number"),
        ("9" * 5000 + ",1024", "F204", "is not a number"),
        ("007,1024", "F202", "007"),
    ],
)
def test_every_value_is_read_as_if_it_stood_alone(fiche, values, code, words):
    """Law 2: what is refused alone is refused in a list."""
    ended = fiche(*BASE, "--sweep", f"context={values}")
    assert (ended.code, ended.out) == (2, "")
    assert code in ended.err
    assert words in ended.err


def test_a_context_holds_its_new_tokens(fiche):
    told = (*BASE, "--set", "new_tokens=300")
    ended = fiche(*told, "--sweep", "context=299,300")
    assert ended.code == 2
    assert "a context of 299 is less than the 300 new tokens in it" in ended.err
    assert fiche(*told, "--sweep", "context=300,301").code == 0
