"""Open conditions as steps: one run for all that it answers, one letter a seller, commands that are taken."""

import shlex
import shutil
from pathlib import Path

import pytest
from evaluate.build import (
    DOORS,
    MACHINE,
    candidate,
    case,
    fiche,
    offer,
    quality,
    requirement,
    workload,
)

from fiche.cli.compile import compile_fiche
from fiche.evaluate import _commands
from fiche.evaluate.decide import judged_fiche
from fiche.evaluate.letters import letters_of
from fiche.evaluate.rejudge import Judged
from fiche.evaluate.steps import plan_of
from fiche.kernel.record import replace

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
SOFTWARE = requirement("software")


def planned(*candidates, ready=None, requirements=(SOFTWARE,), load=None, **changes):
    asked = fiche(candidates, (), [quality(), *requirements], load=load or workload(), **changes)
    return plan_of(Judged(decision=judged_fiche(asked, DOORS, "0"), again=None, ready=ready))


def runs(plan):
    return [step for step in plan.steps.values() if step.id.startswith("run:")]


def topics(step):
    return {one.topic for one in step.settles}


def test_one_run_is_one_step_whatever_it_settles():
    plan = planned(candidate(machine=MACHINE))
    (run,) = runs(plan)
    assert topics(run) == {"need", "memory_available", "compatibility"}
    assert run.machine == MACHINE


def test_candidates_of_one_machine_and_load_share_a_run_and_others_do_not():
    same = [candidate("a", machine=MACHINE), candidate("b", machine=MACHINE)]
    (shared,) = runs(planned(*same))
    assert {one.candidate for one in shared.settles} == {"a", "b"}
    other = replace(workload(), facts={**workload().facts, "formats.cache": fp8()})
    apart = [candidate("a", machine=MACHINE), candidate("b", machine=MACHINE, load=other)]
    assert len(runs(planned(*apart))) == 2
    assert len(runs(planned(candidate("a", machine="x"), candidate("b", machine="y")))) == 2


def fp8():
    return replace(workload().facts["formats.cache"], value="fp8_e4m3")


def test_d9_what_is_not_stated_comes_first_and_the_run_after_it():
    """D9: context, concurrency; only then is there something to run."""
    load = workload([])
    plan = planned(candidate(load=load), load=load)
    (run,) = runs(plan)
    assert run.commands == ()
    stated = {step.id.partition("-")[0] for step in plan.steps.values() if step.kind == "entry"}
    assert {"state:context", "state:concurrency"} <= stated


@pytest.mark.parametrize("devices", [1, 2])
def test_what_no_ready_workload_runs_is_wrapped_with_what_is_attested(devices):
    load = workload(placement__devices=devices)
    on = candidate(cards=devices, load=load)
    refused = lambda *_: ("engine.name is vllm",)  # noqa: E731
    (run,) = runs(planned(on, ready=refused, load=load))
    assert (run.is_ready, run.why) == (False, ("engine.name is vllm",))
    words = shlex.split(run.commands[0])
    assert words[:4] == ["fiche", "run", "--case", "limit"]
    program = ["torchrun", "--nproc-per-node", "2"] if devices == 2 else ["python"]
    assert words[words.index("--") + 1 :] == [*program, "your_program.py"]
    assert "prompt_tokens=7900" in words
    assert ("--merge" in run.commands[1]) == (devices == 2)


def test_a_ready_workload_is_measured_from_the_fiche_itself():
    (run,) = runs(planned(candidate(machine=""), ready=lambda *_: ()))
    words = shlex.split(run.commands[0])
    assert words[:8] == [
        *("fiche", "measure", "--from", "chat.yaml", "--case", "limit", "--candidate", "rent")
    ]
    assert "whole-loop" in words, "only the loop in its real order admits (C8)"
    assert words[words.index("--machine") + 1] == "rent-machine", "nobody has named the machine"
    assert run.lines == (
        "machine: rent-machine  # rent",
        "- {id: limit-rent, file: evidence/limit-rent.json}",
    )


def test_without_a_door_nothing_is_called_ready():
    (run,) = runs(planned(candidate()))
    assert not run.is_ready
    assert run.why


@pytest.mark.parametrize("word", ["plain-1.0", "two words", "it's", "$(rm -rf x)", "a\nb", ""])
def test_a_word_comes_out_of_the_shell_as_it_went_in(word):
    assert shlex.split(_commands.line("fiche", word)) == ["fiche", word]


def test_a_letter_says_each_thing_once_and_never_what_can_be_paid():
    sold = offer("47.14 USD", tax=None, quote=None)
    plan = planned(
        candidate("a", offer=sold),
        candidate("b", offer=sold),
        requirements=[requirement("document", document="Warranty")],
    )
    (letter,) = letters_of(plan)
    assert letter.offers == ("offer-01",)
    texts = [one.text for one in letter.requests]
    assert len(texts) == len(set(texts))
    assert "Provide the document 'Warranty'." in texts
    assert not any("60" in one.threshold for one in letter.requests)
    assert all(one.threshold not in one.text or not one.threshold for one in letter.requests)


def test_a_seller_reads_a_card_s_name_and_a_command_of_one_word_each():
    """A catalog's id says nothing to a seller, and a machine's name may hold what a shell reads."""
    sold = offer("47.14 USD", tax=None)
    on = candidate(offer=sold, machine="rack 7; it's")
    named = replace(on, card=replace(on.card, name="GeForce RTX 4090"))
    (letter,) = letters_of(planned(named))
    texts = " ".join(one.text for one in letter.requests)
    assert "GeForce RTX 4090" in texts
    assert on.gpu not in texts
    told = [one.text.partition("writes: ")[2] for one in letter.requests if "writes" in one.text]
    words = ["fiche", "environment", "--machine", "rack-7-it-s", "--output", "rack-7-it-s.json"]
    assert [shlex.split(command) for command in told] == [words]


def test_a_machine_whose_name_no_record_may_bear_gets_one_that_the_fiche_has_to_say():
    """F511, F540: a command that is printed is one that the tool takes."""
    plan = planned(candidate(machine="rack 7; it's"))
    (run,) = runs(plan)
    assert run.lines[0] == "machine: rack-7-it-s  # rent"
    assert "--machine rack-7-it-s " in run.commands[0]
    (other,) = runs(planned(candidate(gpu="RTX-5070X")))
    assert "--gpu" not in other.commands[0]
    (kept,) = runs(planned(candidate(machine="node_7.a")))
    assert not any(line.startswith("machine:") for line in kept.lines)


def test_ids_stay_ids_however_long_or_strange_a_name_is():
    assert _commands.named("é" * 200) == "piece"
    assert len(_commands.named("a" * 300)) <= 70
    assert case().id


def test_a_changed_candidate_is_on_the_machine_of_its_baseline(tmp_path):
    """One offer is one machine: it is asked for once, and named by the baseline (F309 refuses another)."""
    folder = tmp_path / "throughput"
    shutil.copytree(SAMPLES / "throughput", folder)
    path = folder / "fiche.yaml"
    text = path.read_text(encoding="utf-8").replace(", machine: fjord-a3", "")
    path.write_text(text, encoding="utf-8")
    offers = folder / "offers.yaml"
    offers.write_text(
        offers.read_text(encoding="utf-8").replace("    machine: fjord-a3\n", ""), encoding="utf-8"
    )
    told = compile_fiche(path).decision.settling
    lines = {line for step in told.steps for line in step.lines if "machine:" in line}
    assert "machine: as-published-machine  # as-published" in lines
    assert not [line for line in lines if line.endswith("# fp8-weights")]
    asked = [one.text for letter in told.letters for one in letter.requests]
    assert len([text for text in asked if "as-published-machine" in text]) == 1
    assert not [text for text in asked if "fp8-weights-machine" in text]
