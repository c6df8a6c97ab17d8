"""The commands with a team's PostgreSQL: eight add and search at once, and each finds what it has added."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from archive import postgres_here

pytestmark = pytest.mark.database
FICHE = str(Path(sys.executable).with_name("fiche"))
RECORD = Path(__file__).resolve().parents[2] / "samples" / "serving" / "evidence" / "run-limit.json"


@pytest.fixture(scope="module")
def url():
    with postgres_here.server() as folder:
        yield postgres_here.url(folder)


def test_eight_add_and_search_at_once(url, tmp_path):
    environment = {
        **os.environ,
        "FICHE_ARCHIVE": str(tmp_path / "archive"),
        "FICHE_ARCHIVE_INDEX": url,
    }

    def fiche(*words):
        return subprocess.run(
            [FICHE, "archive", *map(str, words)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def add(number):
        told = json.loads(RECORD.read_text())
        told["series"]["id"] = f"adder-{number}"
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(told))
        return fiche("add", path, "--label", f"adder=number {number}", "--json")

    def add_and_search(number):
        added = add(number)
        assert added.returncode == 0, added.stderr
        found = fiche("search", "--ids", "--label", f"adder==number {number}")
        assert found.returncode == 0, found.stderr
        return json.loads(added.stdout)["entries"][0]["id"], found.stdout.split()

    assert add("first").returncode == 0
    refused = fiche("search", "--model", "llama")
    assert (refused.returncode, refused.stderr[:4]) == (2, "F951")
    assert fiche("index", "--rebuild").returncode == 0
    with ThreadPoolExecutor(8) as eight:
        for id, found in eight.map(add_and_search, range(8)):
            assert found == [id]
    told = json.loads(fiche("list", "--json").stdout)
    assert (told["num_entries"], told["unread"]) == (9, 0)
    assert "superseded by" not in fiche("show", "adder-3").stdout
