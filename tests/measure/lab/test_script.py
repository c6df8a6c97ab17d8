"""The stand-alone script on a bare machine, and through the whole protocol on a simulated device (F9, F3)."""

import ast
import json
import re
import sys

import pytest
from measure.lab.carried import ran, with_simulation

from fiche.importers.fiche_environment import read as fiches_account
from fiche.importers.fiche_record import read
from fiche.measure.lab.archive import SCRIPT, lab_parts, lab_script
from fiche.measure.protocol.tool import VERSION

BARE = ("-I", "-S")
TEXT = lab_script(lab_parts())
MODEST = ("--batch", 1, "--context", 16, "--width", 64, "--warmup", 1, "--repeats", 2)


@pytest.fixture
def script(tmp_path):
    path = tmp_path / SCRIPT
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture
def simulated(script):
    """A copy of the script whose processes find a simulated device and a stand-in of PyTorch."""

    def with_limit(limit=1 << 34):
        script.write_text(with_simulation(TEXT, limit), encoding="utf-8")
        return script

    return with_limit


def record(path):
    return json.loads(path.read_text(encoding="utf-8"))


# --- A bare machine ---------------------------------------------------------------------------


def test_it_is_written_in_the_words_of_python_3_9():
    ast.parse(TEXT, feature_version=(3, 9))


# What exists since 3.10 or later and might slip in: attribute or imported name, by module; parameters.
NEWER = {
    "datetime": {"UTC"},
    "enum": {"StrEnum", "verify", "member", "global_str"},
    "contextlib": {"aclosing", "chdir"},
    "itertools": {"pairwise", "batched"},
    "typing": {
        "Self",
        "TypeAlias",
        "ParamSpec",
        "override",
        "Never",
        "assert_never",
        "LiteralString",
    },
    "types": {"NoneType", "UnionType", "EllipsisType"},
    "inspect": {"getmembers_static"},
    "hashlib": {"file_digest"},
    "sys": {"orig_argv", "stdlib_module_names", "exception"},
    "operator": {"call"},
    "os": {"process_cpu_count"},
    "math": {"cbrt", "exp2"},
}
NEWER_MODULES = {"tomllib"}
NEWER_BUILTINS = {"anext", "aiter", "ExceptionGroup", "BaseExceptionGroup", "EncodingWarning"}
NEWER_PARAMETERS = {"zip": "strict", "dataclass": "slots", "field": "kw_only", "bisect": "key"}


def newer_words(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in NEWER.get(node.value.id, ()):
                yield f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.ImportFrom):
            yield from (a.name for a in node.names if a.name in NEWER.get(node.module, ()))
            yield from [node.module] * (node.module in NEWER_MODULES)
        elif isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name in NEWER_MODULES)
        elif isinstance(node, ast.Name) and node.id in NEWER_BUILTINS:
            yield node.id
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            unwanted = NEWER_PARAMETERS.get(node.func.id)
            yield from (k.arg for k in node.keywords if unwanted and k.arg in (unwanted, "kw_only"))


def test_it_uses_nothing_that_only_a_newer_python_has():
    """A rented machine has the Python that it has."""
    assert list(newer_words(ast.parse(TEXT))) == []


@pytest.mark.parametrize(
    "planted",
    [
        "from datetime import UTC",
        "import tomllib",
        "zip(a, b, strict=True)",
        "sys.orig_argv",
        "dataclass(slots=True)",
        "anext(a)",
    ],
)
def test_a_newer_word_is_seen(planted):
    assert list(newer_words(ast.parse(planted)))


def unions_when_run(tree):
    """`X | Y` of types outside annotations, which 3.9 cannot evaluate: isinstance, aliases, bounds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            if names & {"str", "int", "float", "bytes", "dict", "list", "tuple", "type", "Path"}:
                yield node.lineno


class _Bare(ast.NodeTransformer):
    """Without annotations, which are never evaluated."""

    def visit_arg(self, node):
        node.annotation = None
        return node

    def visit_FunctionDef(self, node):
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node):
        node.annotation = ast.Constant("")
        return self.generic_visit(node)


def test_no_union_of_types_is_evaluated():
    assert list(unions_when_run(_Bare().visit(ast.parse(TEXT)))) == []


def test_it_calculates_with_the_standard_library_alone(script, tmp_path):
    """F1, F9: no site-packages at all."""
    words = ("--parameters", 7000000000, "--bits", 16, "--reserve-gib", 4)
    ended = ran(script, "estimate", *words, cwd=tmp_path, flags=BARE)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "envelope  18 294 967 296 B = 18.29 GB = 17.04 GiB" in ended.stdout


def test_it_says_what_the_machine_lacks(script, tmp_path):
    """F2: that something is missing is no failure."""
    ended = ran(script, "environment", "--device", "cuda:0", cwd=tmp_path, flags=BARE)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "Missing: PyTorch is not installed in this Python" in ended.stdout
    told = ran(script, "environment", "--machine", "node-7", "--json", cwd=tmp_path, flags=BARE)
    document = json.loads(told.stdout)
    assert document["format"] == "fiche-environment/1"
    assert document["machine"] == "node-7"
    assert fiches_account(told.stdout.encode(), "0" * 64).kind == "fiche_environment"
    assert document["environment"]["python"] == sys.version.split()[0]


def test_without_pytorch_a_measurement_is_refused_in_a_sentence(script, tmp_path):
    """C10: exit code 2, one sentence, and not a file."""
    before = sorted(tmp_path.iterdir())
    ended = ran(script, "measure", *MODEST, "--output", "m.json", cwd=tmp_path, flags=BARE)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "PyTorch is not installed in this Python, so nothing can be measured\n"
    assert sorted(tmp_path.iterdir()) == before


def test_it_says_which_fiche_it_is_of(script, tmp_path):
    ended = ran(script, "--version", cwd=tmp_path, flags=BARE)
    assert (ended.returncode, ended.stdout) == (0, f"fiche lab {VERSION}\n")


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("weigh",),
        ("measure",),
        ("measure", "--output", "m.json", "--dtype", "int4"),
        ("measure", "--output", "m.json", "--machine", "../x"),
        ("environment", "--json", "--machine", "a b"),
        ("measure", "--output", "m.json", "--gpu", "RTX-4090"),
    ],
)
def test_a_wrong_word_is_refused(script, tmp_path, words):
    ended = ran(script, *words, cwd=tmp_path, flags=BARE)
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert not list(tmp_path.glob("m*"))


# --- A simulated device -----------------------------------------------------------------------


def test_it_measures_by_phases_and_as_a_whole_loop(simulated, tmp_path):
    """F3, C7, C8: two fresh processes, two records of one run."""
    ended = ran(simulated(), "measure", *MODEST, "--output", "m.json", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    phased, whole = record(tmp_path / "m.json"), record(tmp_path / "m.whole.json")
    assert [(p["name"], p["pass"]) for p in phased["phases"]] == [
        ("model_load", "first"),
        ("inputs", "first"),
        ("cold_forward", "first"),
        ("warmup", "later"),
        ("warm_forward", "later"),
        ("warm_forward", "later"),
    ]
    assert [(p["ordering"], p["pass"]) for p in whole["phases"]] == [
        ("whole_loop", "first"),
        *[("whole_loop", "later")] * 3,
    ]
    assert phased["series"]["run"] == whole["series"]["run"]
    assert phased["series"]["process"]["pid"] != whole["series"]["process"]["pid"]
    assert phased["series"]["process"]["protocol"] == "one fresh process per series"
    assert (phased["series"]["warmups"], phased["series"]["repeats"]) == (1, 2)
    assert not list(tmp_path.glob("*.journal"))


def test_the_record_is_imported_like_any_other(simulated, tmp_path):
    """F9, C13: what fiche reads at home is what the script wrote."""
    ran(
        simulated(),
        "measure",
        *MODEST,
        "--machine",
        "node-7",
        "--gpu",
        "x-1",
        "--output",
        "m.json",
        cwd=tmp_path,
    )
    for name, whole in (("m.json", False), ("m.whole.json", True)):
        reading = read((tmp_path / name).read_bytes(), "0" * 64)
        assert (reading.kind, reading.version) == ("fiche_record", "fiche-measurement/1")
        assert [reading.facts[key].value for key in ("machine", "gpu")] == ["node-7", "x-1"]
        assert {run.whole_loop for run in reading.runs} == {whole}
        assert {run.outcome for run in reading.runs} == {"success"}
        assert all(run.executed["width"].low == 64 for run in reading.runs)
        peaks = {o.counter for o in reading.runs[0].observations if o.stat == "peak"}
        assert peaks == {"max_memory_allocated", "max_memory_reserved"}


def test_it_shows_two_peaks_in_two_columns(simulated, tmp_path):
    """C3, C4: in bytes, never added, and absolute."""
    told = ran(simulated(), "measure", *MODEST, "--output", "m.json", cwd=tmp_path).stdout
    (load,) = [p for p in record(tmp_path / "m.json")["phases"] if p["name"] == "model_load"]
    peak = load["devices"][0]["peak"]
    line = next(line for line in told.splitlines() if line.startswith("model_load"))
    assert re.split(r"  +", line)[-2:] == [f"{peak[k]:,}".replace(",", " ") for k in sorted(peak)]
    assert peak["allocated_bytes"] > 4 * 64 * 64 * 4 * 2
    assert "says nothing about any other model" in told
    assert "loop (model_load, inputs, cold_forward)" in told


@pytest.mark.parametrize(
    "taken", ["m.json", "m.whole.json", "m.json.journal", "m.whole.json.journal"]
)
def test_no_measurement_is_overwritten(simulated, tmp_path, taken):
    """C10: whichever of the files is there, nothing is written beside it."""
    (tmp_path / taken).write_text("mine", encoding="utf-8")
    ended = ran(simulated(), "measure", *MODEST, "--output", "m.json", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"{taken} exists")
    assert (tmp_path / taken).read_text(encoding="utf-8") == "mine"
    assert len(list(tmp_path.glob("m*"))) == 1


def test_a_folder_that_cannot_be_written_is_told(simulated, tmp_path):
    (tmp_path / "file").touch()
    ended = ran(simulated(), "measure", *MODEST, "--output", "file/m.json", cwd=tmp_path)
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert "file" in ended.stderr


def test_a_workload_that_fails_keeps_its_record(simulated, tmp_path):
    """C11: exit code 3; where, of which dimensions, with which message, and the last values."""
    script = simulated(limit=80_000)
    ended = ran(
        script, "measure", *MODEST, "--ordering", "phased", "--output", "m.json", cwd=tmp_path
    )
    assert ended.returncode == 3
    assert "CUDA out of memory" in ended.stderr
    last = record(tmp_path / "m.json")["phases"][-1]
    assert (last["outcome"], last["declared"]["width"]) == ("failure", 64)
    assert last["error"]["type"] == "torch.OutOfMemoryError"
    assert last["devices"][0]["peak"]["allocated_bytes"] > 0
    (failure,) = read((tmp_path / "m.json").read_bytes(), "0" * 64).failures
    assert failure.message_kind


def test_a_failure_by_phases_leaves_the_whole_loop_to_be_seen(simulated, tmp_path):
    ended = ran(simulated(limit=80_000), "measure", *MODEST, "--output", "m.json", cwd=tmp_path)
    assert ended.returncode == 3
    outcomes = [record(tmp_path / n)["phases"][-1]["outcome"] for n in ("m.json", "m.whole.json")]
    assert outcomes == ["failure", "failure"]


def test_the_policy_of_the_cache_is_in_the_record(simulated, tmp_path):
    """C7: series of two policies are never mixed, so each says its own."""
    words = ("--empty-cache", "between-repeats", "--ordering", "whole-loop", "--output", "m.json")
    assert ran(simulated(), "measure", *MODEST, *words, cwd=tmp_path).returncode == 0
    assert record(tmp_path / "m.json")["series"]["empty_cache"] == "between_repeats"


def at_fourth_peak(script, statement):
    """A script in which a statement runs when the reserved peak is read for the fourth time."""
    text = script.read_text(encoding="utf-8")
    planted = f"""
_reads = []
_read = _machine.all[0].peak_reserved


def _deadly():
    _reads.append(1)
    if len(_reads) == 4:
        {statement}
    return _read()


_machine.all[0].peak_reserved = _deadly


"""
    head, mark, tail = text.rpartition('if __name__ == "__main__":')
    script.write_text(f"{head}{planted}{mark}{tail}", encoding="utf-8")


def finished(path):
    reading = read(path.read_bytes(), "0" * 64)
    return [run.phases[0] for run in reading.runs if run.outcome == "success"]


def test_a_killed_process_loses_no_finished_phase(simulated, tmp_path):
    """C11: the journal beside is the record then."""
    script = simulated()
    at_fourth_peak(script, "os.kill(os.getpid(), 9)")
    ended = ran(script, "measure", *MODEST, "--output", "m.json", cwd=tmp_path)
    assert ended.returncode == 3
    assert "signal 9 ended it; m.json.journal holds what was finished" in ended.stderr
    assert not (tmp_path / "m.json").exists()
    assert finished(tmp_path / "m.json.journal") == ["model_load", "inputs", "cold_forward"]


def test_an_interruption_ends_it_and_keeps_what_was_finished(simulated, tmp_path):
    """130, no second series, no traceback; the phase that ran is neither a success nor a failure."""
    script = simulated()
    at_fourth_peak(script, "raise KeyboardInterrupt")
    ended = ran(script, "measure", *MODEST, "--output", "m.json", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (130, "")
    assert sorted(path.name for path in tmp_path.glob("m*")) == ["m.json"]
    assert finished(tmp_path / "m.json") == ["model_load", "inputs", "cold_forward"]
    assert record(tmp_path / "m.json")["unfinished"][0]["name"] == "warmup"


def test_a_full_disk_is_told_in_a_sentence(simulated, tmp_path):
    """No space left: exit code 2, and what was finished stands in the journal."""
    script = simulated()
    at_fourth_peak(
        script, "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))"
    )
    words = ("--ordering", "phased", "--output", "m.json")
    ended = ran(script, "measure", *MODEST, *words, cwd=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "m.json" in ended.stderr
    assert "model_load" in finished(tmp_path / "m.json.journal")


@pytest.mark.torch
def test_the_network_runs_in_pytorch(simulated, tmp_path):
    """F3: a real PyTorch on its CPU build for the order of calls; the counters are the simulated ones."""
    ended = ran(simulated(limit=0), "measure", *MODEST, "--output", "m.json", cwd=tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    checks = [p["output_check"] for p in record(tmp_path / "m.json")["phases"]]
    assert [check.get("passed") for check in checks] == [None, None, True, True, True, True]


@pytest.mark.torch
def test_a_pytorch_without_a_gpu_is_refused(script, tmp_path, monkeypatch):
    """C10: a result of the CPU is never a measurement of a GPU."""
    for name in ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"):
        monkeypatch.setenv(name, "")  # where there is a GPU
    ended = ran(script, "measure", *MODEST, "--output", "m.json", cwd=tmp_path)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert not list(tmp_path.glob("m*"))
