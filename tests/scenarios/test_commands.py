"""The contract that programs outside rely on, by the commands themselves."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from scenarios.story import asked, files, written

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples"


def run(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "fiche", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
    )


def one_object(*arguments, cwd=None):
    """The one JSON object on stdout, and nothing on stderr."""
    made = run(*arguments, cwd=cwd)
    assert made.returncode == 0, made.stderr
    assert made.stderr == ""
    told, end = json.JSONDecoder().raw_decode(made.stdout)
    assert made.stdout[end:].strip() == ""
    assert isinstance(told, dict)
    return told


@pytest.fixture
def fiche(tmp_path):
    return written(tmp_path / "fiche", asked(), files())


# What every report has, whatever else is asked for.
_ALWAYS = ("decision.json", "SHA256SUMS")
GUIDE = ("estimate", "--parameters", "7000000000", "--bits", "16", "--reserve-gib", "4")


def test_estimate_lists_figures_with_bytes_basis_and_formula():
    told = one_object(*GUIDE, "--json")
    figures = {f["id"]: f for f in told["figures"]}
    assert figures["weights"]["bytes"] == 14_000_000_000
    assert figures["envelope"]["bytes"] == 18_294_967_296
    for name in ("weights", "envelope"):
        assert figures[name]["basis"] == "computed"
        assert figures[name]["formula"]
    assert {"bytes", "low_bytes", "value", "low"} & set(figures["workspace"])
    for listed in figures.values():
        assert listed["basis"]


def test_estimate_prints_both_units_and_keeps_4_gib_apart_from_4_gb():
    text = run(*GUIDE).stdout
    for amount in ("14.00 GB", "13.04 GiB", "17.04 GiB"):
        assert amount in text
    assert "16.76" not in text
    six = run(*GUIDE[:-1], "6").stdout
    assert "19.04 GiB" in six


def test_report_writes_three_files_into_a_new_folder_and_refuses_an_old_one(tmp_path, fiche):
    out = tmp_path / "out"
    assert run("report", fiche, "-o", out).returncode == 0
    assert {p.name for p in out.iterdir()} == {"report.html", "report.pdf", *_ALWAYS}
    before = {p.name: p.read_bytes() for p in out.iterdir()}
    again = run("report", fiche, "-o", out)
    assert (again.returncode, again.stdout) == (2, "")
    assert "F610" in again.stderr
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before
    assert run("report", fiche, "-o", out, "--force").returncode == 0
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before


def test_report_writes_the_formats_that_are_asked_for(tmp_path, fiche):
    out = tmp_path / "out"
    assert run("report", fiche, "-o", out, "--formats", "html,json").returncode == 0
    assert {p.name for p in out.iterdir()} == {"report.html", *_ALWAYS}


def test_check_prints_the_very_decision_that_report_writes(tmp_path, fiche):
    out = tmp_path / "out"
    assert run("report", fiche, "-o", out, "--formats", "json").returncode == 0
    told = one_object("check", fiche, "--json")
    assert told == json.loads((out / "decision.json").read_bytes())
    assert {c["status"] for c in told["candidates"]} <= {"retained", "to_confirm", "excluded"}
    keys = ("requirement", "candidate", "verdict", "need", "have", "margin", "reason_code")
    for found in told["findings"]:
        assert {*keys, "condition", "pieces"} <= set(found)
        assert found["verdict"] in ("admissible", "to_confirm", "exclude")
    for part in ("pieces", "inputs"):
        assert all(len(one["sha256"]) == 64 for one in told[part])
    assert told["tool"]["name"] == "fiche"
    assert told["format"] == "fiche-decision/1"


def test_check_fails_no_gate_by_a_verdict_alone(tmp_path):
    guide = SAMPLES / "guide" / "fiche.yaml"
    assert run("check", guide).returncode == 0
    assert run("check", guide, "--require-retained").returncode == 3
    assert run("check", tmp_path / "missing.yaml", "--json").returncode == 2


@pytest.mark.parametrize(
    "arguments",
    [
        (*GUIDE, "--json"),
        (*GUIDE, "--cards", "--json"),
        ("estimate", SAMPLES / "serving" / "fiche.yaml", "--json"),
        ("check", SAMPLES / "serving" / "fiche.yaml", "--json"),
        ("explain", SAMPLES / "serving" / "fiche.yaml", "limit.envelope", "--json"),
        ("explain", "F202", "--json"),
        ("import", SAMPLES / "serving" / "evidence" / "oom-4080.log", "--json"),
        ("import", SAMPLES / "serving" / "evidence" / "run-limit.json", "--json"),
        ("catalog", "list", "--json"),
        ("catalog", "show", "nvidia-rtx-4090-24g", "--json"),
        ("catalog", "validate", SAMPLES / "serving" / "offers.yaml", "--json"),
        ("schema", "--json"),
        ("schema", "fiche"),
    ],
    ids=lambda a: " ".join(str(part).rpartition("/")[2] for part in a),
)
def test_each_command_prints_one_json_object(arguments):
    told = one_object(*arguments)
    assert told


def test_report_and_new_print_one_json_object_too(tmp_path, fiche):
    assert one_object("report", fiche, "-o", tmp_path / "o", "--formats", "json", "--json")["files"]
    assert one_object("new", tmp_path / "chat", "--json")


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "missing.yaml", "--json"),
        ("import", "missing.log", "--json"),
        ("catalog", "show", "no-such-card", "--json"),
        ("explain", "F999", "--json"),
        ("estimate", "--parameters", "7B", "--bits", "16", "--json"),
        ("check", "--no-such-option"),
    ],
    ids=lambda a: " ".join(a),
)
def test_a_refusal_goes_to_stderr_and_leaves_stdout_alone(tmp_path, arguments):
    made = run(*arguments, cwd=tmp_path)
    assert made.returncode == 2
    assert made.stderr
    assert not made.stdout.strip() or json.loads(made.stdout)["diagnostics"]
    assert "Traceback" not in made.stderr


def test_import_prints_pieces_in_the_words_of_evidence(tmp_path):
    told = one_object("import", SAMPLES / "serving" / "evidence" / "oom-4080.log", "--json")
    (piece,) = told["pieces"]
    (failure,) = piece["failures"]
    assert (failure["message_kind"], failure["memory"]) == ("allocator_oom", "device")
    assert failure["is_need"] is False
    requested = (
        failure["requested"] if "requested" in failure else failure["quantities"]["requested"]
    )
    assert requested["bytes"] == 132 * 2**20
    assert piece["observations"] == []
    told = one_object("import", SAMPLES / "serving" / "evidence" / "run-limit.json", "--json")
    (piece,) = told["pieces"]
    seen = {(o["counter"], o["scope"], o["stat"], o["origin"]) for o in piece["observations"]}
    assert ("max_memory_reserved", "process_allocator", "peak", "measured") in seen


def test_two_files_are_two_pieces():
    evidence = SAMPLES / "serving" / "evidence"
    told = one_object("import", evidence / "oom-4080.log", evidence / "run-usual.json", "--json")
    assert len(told["pieces"]) == 2


# --- The runner of worked cases -------------------------------------------------------------------

OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity "
    "of 23.52 GiB of which 512.00 MiB is free. Including non-PyTorch memory, this process has 23.01 GiB "
    "memory in use. Of the allocated memory 22.00 GiB is allocated by PyTorch, and 100.00 MiB is reserved "
    "by PyTorch but unallocated.\n"
)


def quantity(printed, unit, digits):
    value = round(float(printed) * unit)
    half = unit / 10**digits / 2
    low, high = -(-(float(printed) * unit - half) // 1), (float(printed) * unit + half) // 1
    return {
        "printed": f"{printed} {'GiB' if unit == 2**30 else 'MiB'}",
        "unit_bytes": unit,
        "bytes": value,
        "low": int(low),
        "high": int(high),
        "rounding": f"nearest-{digits}-digits",
    }


def expected():
    amounts = {
        "requested": ("1.00", 2**30),
        "total_capacity": ("23.52", 2**30),
        "free": ("512.00", 2**20),
        "process_in_use": ("23.01", 2**30),
        "allocated": ("22.00", 2**30),
        "reserved_unallocated": ("100.00", 2**20),
    }
    return {
        "schema": "fiche-evidence-sample/1",
        "kind": "torch_oom",
        "shape": "cuda",
        "backend": "cuda",
        "failed": True,
        "refuse": False,
        "refuse_reason": None,
        "failures": [
            {
                "line": 1,
                "message_kind": "allocator_oom",
                "memory": "device",
                "device_index": 0,
                "is_need": False,
                **{name: quantity(text, unit, 2) for name, (text, unit) in amounts.items()},
            }
        ],
        "duplicate_messages": 0,
        "observations": [],
        "not_observed": [],
        "warnings": [],
    }


def cases(folder):
    command = [sys.executable, str(ROOT / "tests" / "run_cases.py"), "evidence", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_runner_of_cases_works_on_any_folder(tmp_path):
    folder = tmp_path / "some" / "where else"
    folder.mkdir(parents=True)
    for name in ("one", "two"):
        (folder / f"{name}.log").write_text(OOM)
        (folder / f"{name}.expected.json").write_text(json.dumps(expected()))
    made = cases(folder)
    assert (made.returncode, made.stdout.splitlines()[-1]) == (0, "2 passed, 0 failed")
    wrong = expected()
    wrong["failures"][0]["requested"]["bytes"] += 1
    (folder / "two.expected.json").write_text(json.dumps(wrong))
    made = cases(folder)
    assert made.returncode != 0
    assert made.stdout.splitlines()[-1] == "1 passed, 1 failed"


def test_a_folder_without_pango_or_torch_is_no_matter_for_json(tmp_path, fiche):
    """Neither is imported: a decision needs YAML, JSON and arithmetic."""
    shutil.rmtree(tmp_path / "blocked", ignore_errors=True)
    blocked = tmp_path / "blocked"
    for name in ("weasyprint", "torch"):
        (blocked / name).mkdir(parents=True)
        (blocked / name / "__init__.py").write_text("raise OSError('not here')\n")
    code = (
        f"import sys; sys.path.insert(0, {str(blocked)!r}); sys.argv[0] = 'fiche'\n"
        "from fiche.cli.process import main\nmain()"
    )
    made = subprocess.run(
        [sys.executable, "-c", code, "check", str(fiche), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["counts"]["retained"] == 1
