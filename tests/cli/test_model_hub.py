"""`fiche model org/model`: the command against a hub on this machine (A1: the commit is said)."""

import json
import os
import subprocess
import sys

import pytest
from hub.files import CONFIG, llama, safetensors
from hub.server import COMMIT, TOKEN, Hub, start, stop

CONFIG_BYTES = json.dumps(CONFIG).encode()
PROGRAM = "from fiche.cli.process import main; main()"


@pytest.fixture
def hub():
    """A hub with one private model."""
    files = {"config.json": CONFIG_BYTES, "model.safetensors": safetensors(llama())}
    made = Hub(models={"org/toy": {"main": files, COMMIT: files}}, private={"org/toy"})
    server = start(made)
    yield made
    stop(server)


def run(hub, tmp_path, *arguments, **more):
    """The program in a process of its own: it reads the environment as it does for everybody."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment = {
        **kept,
        "HF_HOME": str(tmp_path / "hf"),
        "HF_ENDPOINT": hub.address,
        "NO_PROXY": "127.0.0.1",
        "COLUMNS": "120",
        **more,
    }
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, "model", *arguments],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_model_is_read_saved_and_named_by_its_commit(hub, tmp_path):
    ended = run(hub, tmp_path, "org/toy", "--save", "toy", HF_TOKEN=TOKEN)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert f"org/toy@{COMMIT}" in ended.stdout
    assert "loaded  106 816 by the class" in ended.stdout
    assert (
        f"    name: org/toy\n    revision: {COMMIT}\n    config: toy/config.json\n" in ended.stdout
    )
    assert (tmp_path / "toy" / "config.json").read_bytes() == CONFIG_BYTES
    saved = json.loads((tmp_path / "toy" / "tensors.json").read_text())
    assert saved["source"] == f"org/toy@{COMMIT}"
    again = run(hub, tmp_path, "toy", "--json", HF_ENDPOINT="http://127.0.0.1:9")
    found = json.loads(again.stdout)
    assert (found["name"], found["revision"]) == ("org/toy", COMMIT)


def test_a_refusal_is_one_line_and_a_hint_and_saves_nothing(hub, tmp_path):
    ended = run(hub, tmp_path, "org/toy", "--save", "toy")
    assert (ended.returncode, ended.stdout) == (2, "")
    first, second = ended.stderr.splitlines()
    assert first.startswith("F832 org/toy: ")
    assert second.startswith("    hint: ")
    assert not (tmp_path / "toy").exists()


def test_an_answer_that_breaks_off_saves_nothing(hub, tmp_path):
    hub.private.clear()
    hub.statuses["model.safetensors"] = [403]
    ended = run(hub, tmp_path, "org/toy", "--save", "toy")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "F835" in ended.stderr
    assert list(tmp_path.glob("toy*")) == list(tmp_path.glob(".fiche-*")) == []


def test_offline_is_honoured(hub, tmp_path):
    ended = run(hub, tmp_path, "org/toy", HF_HUB_OFFLINE="1", HF_TOKEN=TOKEN)
    assert (ended.returncode, "F844" in ended.stderr) == (2, True)
    assert hub.requests == []


def test_without_the_library_one_line_says_how_to_have_it(hub, tmp_path):
    (tmp_path / "huggingface_hub.py").write_text("raise ImportError('not installed')")
    ended = run(hub, tmp_path, "org/toy", PYTHONPATH=str(tmp_path))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("F830 ")
    assert "pip install 'fiche[models]'" in ended.stderr
