"""A user's script, and `fiche run` over it."""

import subprocess

import pytest
from measure.command_runs import FICHE, Done, environment


@pytest.fixture
def script(tmp_path):
    """A user's program; PyTorch is imported in it as anywhere."""

    def write(text, name="train.py"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def fiche_run(tmp_path):
    """`fiche_run("--snapshot", command=[...], FAKE_NO_GPU="1")`: options, the command, its environment."""

    def run(*options, command, **variables):
        folder = tmp_path / "run"
        line = [*FICHE, "run", "-o", str(folder), *options, "--", *map(str, command)]
        done = subprocess.run(
            line,
            env=environment(**variables),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Done(done, folder)

    return run
