"""One run of the engine's own benchmark answers every rate and time of a case (D6, D8)."""

import itertools
import shlex
from pathlib import Path

import pytest
import yaml

from fiche.cli.compile import compile_fiche

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "throughput"


def steps(tmp_path, **changes):
    """The benchmark steps of the sample without its pieces, with another workload or other requirements."""
    told = yaml.safe_load((SAMPLE / "fiche.yaml").read_text(encoding="utf-8"))
    told["pieces"] = []
    told["workload"].pop("work")
    told["workload"].update(changes.get("workload", {}))
    told["requirements"] = changes.get("requirements") or told["requirements"][:3]
    told["candidates"] = [{"id": "a", "gpu": "nvidia-l40s-48g", "cards": 1}]
    told.pop("catalogs")
    path = tmp_path / "fiche.yaml"
    path.write_text(yaml.safe_dump(told), encoding="utf-8")
    found = compile_fiche(path).decision.settling.steps
    return [step for step in found if {"throughput", "latency"} & {s.topic for s in step.settles}]


def test_a_rate_and_two_times_are_one_run_of_the_benchmark(tmp_path):
    (step,) = steps(tmp_path)
    assert [each.requirement for each in step.settles] == ["rate", "first-token", "each-token"]
    command, imported = map(shlex.split, step.commands)
    assert command[:3] == ["vllm", "bench", "serve"]
    asked = dict(itertools.pairwise(command))
    assert asked["--model"] == "meta-llama/Llama-3.1-8B-Instruct"
    assert (asked["--random-input-len"], asked["--random-output-len"]) == ("1218", "300")
    assert (asked["--max-concurrency"], asked["--num-prompts"]) == ("16", "320")
    assert asked["--metric-percentiles"] == "95,99"
    assert imported == ["fiche", "import", "evidence/bench-usual-a.json", "--to", "fiche.yaml"]
    assert asked["--result-filename"] == "bench-usual-a.json"


def test_a_load_of_its_own_is_a_run_of_its_own(tmp_path):
    rate = {"id": "rate", "kind": "throughput", "level": "must", "at_least": "300 tokens/s"}
    held = {**rate, "id": "held", "request_rate": "4 requests/s"}
    first, second = steps(tmp_path, requirements=[rate, held])
    assert "--max-concurrency 16" in first.commands[0]
    assert "--request-rate 4" in second.commands[0]
    assert "--max-concurrency" not in second.commands[0]


def test_sglang_has_a_benchmark_of_its_own(tmp_path):
    (step,) = steps(tmp_path, workload={"engine": {"name": "sglang", "version": "0.5.23"}})
    assert step.commands[0].startswith("python -m sglang.bench_serving --backend sglang --model ")
    assert step.commands[0].endswith(
        "--random-range-ratio 1 --output-file evidence/bench-usual-a.jsonl"
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"workload": {"engine": {"name": "transformers", "version": "5.17.0"}}},
        {"workload": {"cases": [{"id": "usual", "role": "usual", "prompt_tokens": 1218}]}},
        {
            "requirements": [
                {
                    "id": "rate",
                    "kind": "throughput",
                    "level": "must",
                    "at_least": "3 tokens/s",
                    "of": "decode",
                }
            ]
        },
    ],
)
def test_a_command_that_cannot_be_written_in_full_is_not_written(tmp_path, changes):
    """Another engine, a length that nobody states, tokens of one phase: what to measure is still said."""
    found = steps(tmp_path, **changes)
    assert found
    assert all(step.commands == () for step in found)
