"""Commands that a decision writes are ones that the tool takes: parsed, and tried where no GPU is needed."""

import json
import shlex
import shutil
from pathlib import Path

import pytest
from typer._click.exceptions import NoSuchOption
from typer.main import get_command

from fiche.cli.compile import compile_fiche
from fiche.cli.main import app
from fiche.cli.running_words import covered, declared, identifier
from fiche.load.schema import document

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = sorted(
    path for path in (ROOT / "samples").glob("*/fiche.yaml") if path.parent.name != "mistakes"
)


def steps(path):
    found = compile_fiche(path).decision.settling
    return () if found is None else found.steps


def parsed(line):
    """The command's name and what its own parser makes of the words; click refuses what it does not know."""
    program, name, *words = shlex.split(line)
    assert program == "fiche"
    command = get_command(app).commands[name]
    return name, command.make_context(name, words).params


# An engine's own benchmark: fiche reads what it writes, and runs none of it.
BENCHES = ("vllm bench serve ", "python -m sglang.bench_serving ")


def own(line):
    """A command of fiche; any other is the benchmark of an engine."""
    mine = line.startswith("fiche ")
    assert mine or line.startswith(BENCHES), line
    return mine


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.parent.name)
def test_each_command_of_a_sample_is_one_that_the_tool_takes(path):
    for step in steps(path):
        for line in filter(own, step.commands):
            name, given = parsed(line)
            if name == "run":
                covered(given["covers"])
                assert declared(given["dim"])
                for option in ("machine", "gpu"):
                    assert identifier(f"--{option}", given[option]) == given[option]
            assert name in ("measure", "run", "import", "environment")


def test_an_option_that_no_command_has_is_caught():
    with pytest.raises(NoSuchOption):
        parsed("fiche measure --form fiche.yaml")


@pytest.mark.torch
def test_a_ready_run_is_what_the_tool_would_run(fiche, tmp_path, monkeypatch):
    """D6: the case's own load, on the candidate's card and machine, in its real order."""
    shutil.copytree(ROOT / "samples" / "second-opinion", tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    (step,) = [s for s in steps(Path("fiche.yaml")) if s.commands]
    assert step.is_ready
    _, *words = shlex.split(step.commands[0])
    ended = fiche(*words, "--dry-run", "--json")
    assert ended.code == 0, ended.err
    told = ended.json()
    assert "whole" in json.dumps(told)
    assert not list(Path("evidence").glob("limit-rent-24*"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.parent.name)
def test_a_command_is_called_ready_exactly_where_the_tool_does_not_refuse_it(
    path, fiche, monkeypatch
):
    monkeypatch.chdir(path.parent)
    loaded = compile_fiche(Path("fiche.yaml")).decision
    candidates = {one.id: one for one in loaded.fiche.candidates}
    for step in loaded.settling.steps if loaded.settling else ():
        case = next((parsed(c)[1].get("case") for c in filter(own, step.commands)), None)
        if not step.id.startswith("run:") or case is None:
            continue
        who = next(candidates[one.candidate].id for one in step.settles)
        words = (
            "--from",
            "fiche.yaml",
            "--case",
            case,
            "--candidate",
            who,
            "--output",
            "none.json",
        )
        ended = fiche("measure", *words, "--dry-run")
        refused = ended.code == 2 and ("F530" in ended.err or "F531" in ended.err)
        assert refused != step.is_ready, ended.err


def test_lines_to_add_are_lines_of_a_fiche():
    """A piece line is one that `pieces:` takes, and its file is the one that the command writes."""
    keys = document("fiche")["$defs"]["piece"]["properties"]
    for path in SAMPLES:
        for step in steps(path):
            for line in step.lines:
                if line.startswith("- {"):
                    told = dict(part.split(": ") for part in line[3:-1].split(", "))
                    assert set(told) <= set(keys)
                    assert any(told["file"] in command for command in step.commands)
