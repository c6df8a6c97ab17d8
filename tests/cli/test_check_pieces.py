"""`fiche check` in text says which pieces no verdict rests on, and how much they warn about."""

import json
import shutil
from pathlib import Path

import pytest
from importers.documents import pdf
from importers.messages import CLASS, sentence
from importers.test_lm_eval_results import results

ROOT = Path(__file__).parents[2]
HEAD = "fiche: 1\ntitle: A test\ndate: 2026-11-29\nauthor: A. Martin\n"
WORKLOAD = """workload:
  model: {name: some/model, revision: abc}
  operation: generation
  engine: {name: vllm, version: 0.11.0}
  formats: {storage: bf16, compute: bf16, cache: bf16}
  cases:
    - {id: limit, role: limit, prompt_tokens: 7848, new_tokens: 344, resident_sequences: 4}
"""
REST = """requirements:
  - {id: quality, kind: quality, level: must, metric: exact_match, dataset: own-qa, at_least: 0.62}
candidates:
  - {id: a, gpu: nvidia-rtx-4090-24g, cards: 1, machine: node-7}
"""
OOM = f"{CLASS}{sentence()}\n"
SMI = "timestamp, index, memory.used [MiB], memory.total [MiB]\n2025/06/03 10:11:00.345, 0, 1 MiB, 24564 MiB\n"


@pytest.fixture
def said(tmp_path, fiche):
    """What the check says behind its last table, of pieces with these bytes and further keys."""

    def run(*pieces):
        lines = ["pieces:\n"] if pieces else []
        for name, content, more in pieces:
            (tmp_path / name).write_bytes(
                content if isinstance(content, bytes) else content.encode()
            )
            lines.append(f"  - {{id: {Path(name).stem}, file: {name}{more}}}\n")
        path = tmp_path / "fiche.yaml"
        path.write_text(HEAD + WORKLOAD + "".join(lines) + REST, encoding="utf-8")
        ended = fiche("check", path)
        assert (ended.code, ended.err) == (0, "")
        return " ".join(ended.out.rpartition(" excluded.\n")[2].split())

    return run


def test_nothing_is_said_without_pieces(said):
    assert said() == ""


@pytest.mark.parametrize(
    ("name", "content", "more", "why"),
    [
        ("p.log", OOM, "", "gpu, case, "),
        ("p.log", OOM, ", scope: {gpu: nvidia-rtx-4090-24g, case: limit, attention: sdpa}", None),
        (
            "p.log",
            OOM,
            ", scope: {gpu: nvidia-l40s-48g, case: limit}",
            "gpu: the question says nvidia-rtx-4090-24g, the piece nvidia-l40s-48g",
        ),
        ("p.csv", SMI, "", "machine untold"),
        ("p.csv", SMI, ", machine: node-8", "no candidate names its machine node-8"),
        ("p.json", json.dumps(results()), "", "it has no score of exact_match on own-qa"),
        ("p.pdf", pdf("Total 12 EUR"), ", kind: quote", "nothing of it is quoted under attests"),
        ("p.csv", SMI, ", valid_until: 2026-11-01", "out of date: valid until 2026-11-01"),
    ],
)
def test_a_piece_that_no_verdict_rests_on_is_named_with_the_first_reason(
    said, name, content, more, why
):
    text = said((name, content, more))
    if why is None:
        assert "is not used" not in text
    else:
        assert f"p is not used: {why}" in text


def test_warnings_are_counted_and_secrets_told_by_line(said):
    secret = "export HF_TOKEN=hf_" + "aB3" * 12 + "\n"
    text = said(("a.csv", SMI, ""), ("b.log", f"{OOM}{secret}", ""), ("c.log", OOM, ""))
    assert "b: secret_in_file: this looks like a secret: line 2: " in text
    assert "hf_aB3" not in text
    assert "revoked" not in text
    assert "warnings of pieces (a " in text
    assert ", b 1): `fiche report` and --json tell them" in text


def test_what_a_cost_is_read_from_is_used(tmp_path, fiche):
    shutil.copytree(ROOT / "samples" / "two-cards", tmp_path / "two")
    out = fiche("check", tmp_path / "two" / "fiche.yaml").out
    assert "is not used" not in out


def test_phases_are_told_to_admit_nothing(fiche):
    out = " ".join(fiche("check", ROOT / "samples" / "serving" / "fiche.yaml").out.split())
    assert "phases-limit is not used: it holds no run of the whole loop" in out
    assert "run-short is not used: other pieces decide what it answers" in out
