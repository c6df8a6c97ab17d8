"""docs/archive.md, done from its first line to its last, beside the samples of this repository."""

import json
import re
import shutil
from decimal import Decimal
from pathlib import Path

import pyarrow.compute
import pyarrow.parquet
import pytest
from walked import BLOCK, walk

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "archive.md"


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("archive")
    shutil.copytree(ROOT / "samples", folder / "samples")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FICHE_ARCHIVE", "observatory")
        patch.delenv("FICHE_ARCHIVE_INDEX", raising=False)
        yield folder, list(walk(PAGE, folder))


def test_each_command_prints_what_the_page_shows(done):
    _, commands = done
    assert len(commands) >= 9
    for ran in commands:
        assert (ran.command, ran.code) == (ran.command, ran.wanted_code), ran.printed
        assert ran.missing == [], ran.command


def test_every_block_of_the_page_is_done():
    text = PAGE.read_text(encoding="utf-8")
    done = len(BLOCK.findall(text))
    assert len(re.findall(r"^```(?:console|yaml)$", text, re.MULTILINE)) == done


def test_the_refused_are_lines_of_json(done):
    folder, _ = done
    lines = (folder / "refused.jsonl").read_text(encoding="utf-8").splitlines()
    told = [json.loads(line) for line in lines]
    assert [one["code"] for one in told].count("F420") == 3
    assert all(set(one) == {"file", "code", "line", "message", "hint"} for one in told)


def test_what_the_page_asks_of_the_tables_has_an_answer(done):
    """The question of the page in SQL, asked of the same file."""
    folder, _ = done
    rows = pyarrow.parquet.read_table(folder / "everything" / "parquet" / "rows.parquet")
    wanted = [
        one
        for one in rows.to_pylist()
        if one["unit"] == "B"
        and one["origin"] == "observed"
        and one["quantity"].endswith(".peak")
        and one["outcome"] == "passed"
        and one["card"] == "nvidia-rtx-4090-24g"
    ]
    assert len({one["entry"] for one in wanted}) == 5
    assert max(one["amount_decimal"] for one in wanted) == Decimal(22772973568)
    entries = pyarrow.parquet.read_table(folder / "everything" / "parquet" / "entries.parquet")
    replaced = pyarrow.compute.list_flatten(entries["supersedes"]).to_pylist()
    assert replaced == ["7e530812-a845-5fe6-9728-9dec06fae670"]


def test_the_cited_run_stands_in_the_fiche(done):
    folder, _ = done
    text = (folder / "chat" / "fiche.yaml").read_text(encoding="utf-8")
    assert "urn:uuid:e949a30c-a07b-5aca-888e-a104d9f9e66e" in text
