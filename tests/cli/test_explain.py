"""`fiche explain`: from a number back to the line or the byte it came from (law 1, E6)."""

import hashlib
import json

import pytest

from fiche import assets
from fiche.cli.quotes import Quotes
from fiche.kernel.address import Pointer, Span
from fiche.kernel.decision import Fiche, Input

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
reserve:
  - {id: workspace, value: 4 GiB, because: seen once}
pieces:
  - id: quote-17
    file: quote.txt
    kind: quote
    version: "17"
    scope: {gpu: nvidia-rtx-4090-24g}
    attests:
      - {fact: price, amount: 47.14 USD, per: 72 h, covers: lot, quote: "47.14 USD"}
requirements:
  - {id: memory, kind: memory, level: must, cases: [limit]}
candidates:
  - {id: one, gpu: nvidia-rtx-4090-24g, cards: 1}
"""
MODEL = FICHE.splitlines()[5]
QUOTE = "A lot of one card\nfor three days: 47.14 USD\n"


@pytest.fixture
def file(tmp_path):
    (tmp_path / "quote.txt").write_text(QUOTE, encoding="utf-8")
    path = tmp_path / "chat.yaml"
    path.write_text(FICHE, encoding="utf-8")
    return path


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


# --- Codes --------------------------------------------------------------------------------------


def test_a_code_is_explained_by_its_document(fiche):
    """Law 4: each code is documented."""
    assert fiche("explain", "F702").out == assets.package_data("codes/F702.md").read_text("utf-8")
    told = fiche("explain", "F702", "--json").json()
    assert (told["code"], told["title"]) == ("F702", "Options that do not go together")


def test_an_unknown_code_is_refused(fiche):
    ended = fiche("explain", "F999")
    assert (ended.code, "F701 unknown code 'F999'" in ended.err) == (2, True)


@pytest.mark.parametrize("path", sorted(assets.package_data("codes").glob("*.md")), ids=str)
def test_every_document_of_a_code_has_its_title(path):
    title, blank, *body = path.read_text(encoding="utf-8").splitlines()
    assert title.startswith(f"# {path.stem} ")
    assert blank == ""
    assert any(body)


# --- Figures ------------------------------------------------------------------------------------


def test_a_computed_figure_is_walked_to_its_lines(fiche, file):
    """B5: the formula, each dimension, and the line where somebody stated it."""
    out = " ".join(fiche("explain", file, "limit.kv_cache").out.split())
    for words in (
        "limit.kv_cache = 1.00 GiB (1 073 741 824 B) [computed]",
        "= ceil(2 x model.layers x model.kv_heads x model.head_dim x",
        "model.kv_heads = 8 heads [stated]",
        f"at chat.yaml:6:{MODEL.index('8, head_dim') + 1}",
        "> model: {name: m, revision: r, parameters: 7000000000, layers: 32, kv_heads: 8",
        "limit.tokens_kept = 8 192 tokens [computed]",
        "limit.new_tokens = 192 tokens [stated]",
        f"chat.yaml sha256 {sha256(FICHE)}",
    ):
        assert words in out


def test_every_leaf_of_a_figure_has_an_address_or_a_reason(fiche, file):
    """Law 1: nothing on the way back is a number from nowhere."""
    told = fiche("explain", file, "limit.envelope", "--json").json()
    leaves = [figure for figure in told["figures"] if "formula" not in figure]
    assert {leaf["id"] for leaf in leaves} >= {"model.parameters", "reserve.workspace"}
    lines = FICHE.splitlines()
    for leaf in leaves:
        if "read" in leaf:
            assert leaf["read"]["sha256"] == sha256(FICHE)
            _, line, column = leaf["at"].split(":")
            assert leaf["read"]["text"] == lines[int(line) - 1]
            assert int(column) <= len(leaf["read"]["text"])
        else:
            assert leaf["because"]


def test_an_assumption_is_told_with_its_author_and_reason(fiche, file):
    """B7, E2."""
    out = fiche("explain", file, "limit.envelope").out
    assert "assumed by A. Martin: seen once" in out
    assert "leaves out: " in out


def test_a_number_of_a_piece_is_walked_to_its_line_and_digest(fiche, file):
    """D3: the words of the document itself."""
    names = fiche("explain", file, "--json").json()["figures"]
    (name,) = [each for each in names if each.startswith("quote-17") and each.endswith("amount")]
    out = fiche("explain", file, name).out
    assert "47.14 USD" in out
    assert "at quote-17#line 2" in out
    assert "> for three days: 47.14 USD" in out
    assert f"quote.txt  sha256 {sha256(QUOTE)}" in out


def test_a_label_is_walked_into_the_catalog(fiche, file):
    out = fiche("explain", file, "card.nvidia-rtx-4090-24g.nominal").out
    assert "24.00" in out or "22.35 GiB" in out
    assert "at fiche:catalog/nvidia.yaml:" in out
    assert "> nominal: {value: 24 GB" in out


def test_dates_are_told_as_dates_and_their_distance_in_days(fiche, file):
    """The kernel counts days from year 1; a reader does not."""
    text = file.read_text(encoding="utf-8").replace(
        "candidates:", "  - {id: start, kind: delivery, level: must, by: 2026-12-07}\ncandidates:"
    )
    fact = '      - {fact: delivery, earliest: 2026-12-01, quote: "three days"}\n'
    file.write_text(text.replace("requirements:\n", fact + "requirements:\n"), encoding="utf-8")
    text = file.read_text(encoding="utf-8").replace(
        "scope: {gpu: nvidia-rtx-4090-24g}", "scope: {machine: m-1}"
    )
    file.write_text(text.replace("cards: 1}", "cards: 1, machine: m-1}"), encoding="utf-8")
    out = fiche("explain", file, "one/start").out
    assert "one/start.need = 2026-12-01  [declared]" in out
    assert "one/start.have = 2026-12-07  [stated]" in out
    assert "one/start.margin = 6 days  [computed]" in out


# --- Findings -----------------------------------------------------------------------------------


def test_a_finding_is_walked_with_its_open_conditions(fiche, file):
    ended = fiche("explain", file, "one/memory/limit")
    assert ended.code == 0
    assert ended.out.startswith("one/memory/limit: to confirm")
    assert "open (" in ended.out
    told = fiche("explain", file, "one/memory/limit", "--json").json()
    assert told["finding"]["verdict"] == "to_confirm"
    assert told["figures"]


def test_all_ids_are_listed(fiche, file):
    told = fiche("explain", file, "--json").json()
    assert "one/memory/limit" in told["findings"]
    assert "weights" in told["figures"]
    out = fiche("explain", file).out
    assert "  one/memory/limit\n" in out
    assert "  weights\n" in out


def test_an_unknown_id_is_refused_with_the_nearest(fiche, file):
    ended = fiche("explain", file, "limit.kvcache")
    assert ended.code == 2
    assert "F701 unknown figure or finding 'limit.kvcache'" in ended.err
    assert "limit.kv_cache" in ended.err


def test_a_fiche_that_is_refused_is_not_explained(fiche, file):
    file.write_text(FICHE.replace("4 GiB", "4 G"), encoding="utf-8")
    ended = fiche("explain", file, "weights")
    assert (ended.code, ended.out) == (2, "")
    assert "chat.yaml:12:" in ended.err


# --- What stands at an address ------------------------------------------------------------------

RECORD = json.dumps({"runs": [{"a/b": {"peak": 22473416376, "~": "x"}}], "gpu": "4090"}).encode()
DIGEST = hashlib.sha256(RECORD).hexdigest()


@pytest.fixture
def quotes():
    given = Input(
        file="run.json", role="piece", num_bytes=1, sha256=DIGEST, media_type="application/json"
    )
    fiche = object.__new__(Fiche)
    object.__setattr__(fiche, "inputs", (given,))
    object.__setattr__(fiche, "pieces", ())
    return Quotes(fiche, {"run.json": RECORD, "chat.yaml": b"one\r\ntwo\n"})


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/runs/0/a~1b/peak", '/runs/0/a~1b: {"peak": 22473416376, "~": "x"}'),
        ("/runs/0/a~1b/~0", '/runs/0/a~1b: {"peak": 22473416376, "~": "x"}'),
        ("/runs/0", '/runs/0: {"a/b": {…}}'),
        ("/gpu", '{"runs": […], "gpu": "4090"}'),
        ("/runs/1", ""),
        ("/runs/x", ""),
        ("/gpu/0/0", ""),
        ("entry 3", ""),
    ],
)
def test_a_json_pointer_leads_to_its_value(quotes, path, text):
    found = quotes.of(Pointer(sha256=DIGEST, path=path))
    assert (found.text, found.file, found.sha256) == (text, "run.json", DIGEST)


@pytest.mark.parametrize(("line", "text"), [(1, "one"), (2, "two"), (3, ""), (9, "")])
def test_a_line_is_quoted_without_its_end(quotes, line, text):
    found = quotes.of(Span(file="chat.yaml", line=line, column=1))
    assert found.text == text
    assert found.place == f"chat.yaml:{line}:1"


def test_a_file_that_was_not_kept_has_no_quote(quotes):
    assert quotes.of(Pointer(sha256="0" * 64, line=1)).text == ""
    assert quotes.of(Span(file="other.yaml", line=1, column=1)).text == ""


def test_a_long_line_is_cut_where_it_says_so(quotes):
    long = Quotes(quotes.fiche, {"chat.yaml": b"x" * 1000})
    told = long.of(Span(file="chat.yaml", line=1, column=1)).text
    assert (len(told), told[-1]) == (239, "…")
