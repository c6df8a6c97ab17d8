"""The worked samples of evidence that fiche reads, and the program that runs any folder of them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import run_cases

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT.parent / "shared" / "cases" / "evidence"
PREFIXES = ("oom_", "host_oom_", "not_oom_")

evidence = run_cases.load(run_cases.kinds()["evidence"])


def names():
    found = (p.name.removesuffix(".expected.json") for p in sorted(SAMPLES.glob("*.expected.json")))
    return [name for name in found if name.startswith(PREFIXES)]


def test_the_samples_lie_beside_the_project():
    assert SAMPLES.is_dir(), f"the worked samples are missing: no {SAMPLES}"
    assert len(names()) >= 20


@pytest.mark.parametrize("name", names())
def test_a_sample_says_what_is_expected(name):
    expected = json.loads((SAMPLES / f"{name}.expected.json").read_text(encoding="utf-8"))
    assert evidence.complaints(SAMPLES, name, expected) == []


@pytest.fixture
def folder(tmp_path):
    """A folder with two samples of its own."""
    text = "RuntimeError: CUDA error: out of memory\n"
    (tmp_path / "one.log").write_text(text, encoding="utf-8")
    failure = {"line": 1, "message_kind": "driver_oom", "memory": "device", "backend": "cuda"}
    failure |= {"device_index": None, "rank": None, "other_processes": [], "requested": None}
    expected = {"kind": "torch_oom", "failed": True, "refuse": False, "failures": [failure]}
    expected |= {"duplicate_messages": 0, "observations": [], "not_observed": [], "warnings": []}
    (tmp_path / "one.expected.json").write_text(json.dumps(expected), encoding="utf-8")
    (tmp_path / "two.txt").write_text("| NVIDIA-SMI\n", encoding="utf-8")
    other = {**expected, "kind": "nvidia_smi_table", "failed": False, "failures": []}
    (tmp_path / "two.expected.json").write_text(json.dumps(other), encoding="utf-8")
    return tmp_path


def run(*arguments):
    command = [sys.executable, ROOT / "tests" / "run_cases.py", "evidence", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT.parent)


def test_it_runs_any_folder_on_its_own(folder):
    ended = run(folder)
    assert ended.returncode == 1
    assert ended.stdout.splitlines()[0].startswith("FAILED two: refused: F4")
    assert ended.stdout.splitlines()[-1] == "1 passed, 1 failed"


def test_it_can_be_restricted(folder):
    assert run(folder, "--kinds", "torch_oom,host_oom").stdout == "1 passed, 0 failed\n"
    assert run(folder, "--only", "one").returncode == 0
    assert run(folder, "--only", "nothing").returncode == 2
    assert run(folder / "absent").returncode == 2


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"line": 2}, "line is 1, expected 2"),
        ({"message_kind": "allocator_oom"}, "message_kind is 'driver_oom'"),
        ({"device_index": 0}, "device_index is None"),
        ({"rank": 3}, "rank is None"),
        ({"requested": {"printed": "1.00 GiB", "bytes": 1}}, "requested is None"),
        ({"other_processes": [{"pid": 1, "in_use": {}}]}, "other processes is []"),
    ],
)
def test_it_names_the_field_that_differs(folder, change, complaint):
    path = folder / "one.expected.json"
    expected = json.loads(path.read_text(encoding="utf-8"))
    expected["failures"][0] |= change
    told = evidence.complaints(folder, "one", expected)
    assert any(complaint in text for text in told), told


def test_a_quantity_is_compared_by_bytes_and_bounds(folder):
    (folder / "one.log").write_text(
        "CUDA out of memory. Tried to allocate 2.00 MiB. GPU", encoding="utf-8"
    )
    expected = json.loads((folder / "one.expected.json").read_text(encoding="utf-8"))
    quantity = {"printed": "2.00 MiB", "unit_bytes": 1048576, "bytes": 2097152, "low": 2091910}
    expected["failures"][0] |= {
        "message_kind": "allocator_oom",
        "requested": {**quantity, "high": 2102394},
    }
    assert evidence.complaints(folder, "one", expected) == []
    expected["failures"][0]["requested"]["high"] += 1
    assert evidence.complaints(folder, "one", expected) == [
        "failure 1: requested high is 2102394, expected 2102395"
    ]


def test_a_missing_observation_a_missing_warning_and_a_wrong_refusal_are_told(folder):
    expected = json.loads((folder / "one.expected.json").read_text(encoding="utf-8"))
    reading = {
        "counter": "x",
        "stat": "peak",
        "scope": "process",
        "device_index": 0,
        "origin": "measured",
    }
    wanted = {**expected, "observations": [{**reading, "value": {"bytes": 1, "low": 1, "high": 1}}]}
    assert "observation missing" in evidence.complaints(folder, "one", wanted)[0]
    assert (
        "should be said"
        in evidence.complaints(folder, "one", {**expected, "warnings": ["truncated"]})[0]
    )
    refused = {**expected, "refuse": True, "refuse_reason": "forbidden_global"}
    assert "must be refused" in evidence.complaints(folder, "one", refused)[0]
    assert "another reason" in evidence.complaints(folder, "two", refused)[0]
