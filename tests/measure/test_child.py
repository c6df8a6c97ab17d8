"""The process of one measurement: its exit codes, and that it writes nothing where it is refused (C10)."""

import json
import subprocess
import sys

import pytest
from measure.children import SCRIPTED
from measure.simulated import simulated

from fiche.measure import child
from fiche.measure.protocol import devices

NO_TORCH = """
import sys
sys.modules["torch"] = None
from fiche.measure.child import main
sys.exit(main())
"""


def ended(words, told, folder):
    text = told if isinstance(told, str) else json.dumps(told)
    return subprocess.run(
        words, input=text, capture_output=True, text=True, cwd=folder, timeout=60, check=False
    )


def job(**told):
    return {"workload": "dense", "output": "new/m.json", **told}


def test_without_torch_it_is_refused_in_one_sentence_and_writes_nothing(tmp_path):
    found = ended([sys.executable, "-c", NO_TORCH], job(), tmp_path)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == "PyTorch is not installed in this Python, so nothing can be measured\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("{", "the job is not JSON"),
        (job(workload="magic"), "'magic' is no workload: there are dense"),
        (job(options={"depth": 3}), "depth is no option of the workload dense"),
        (job(options={"batch": "2"}), "batch is not a whole number"),
        (job(options={"batch": 0}), "batch is a whole number from 1"),
    ],
)
def test_a_wrong_job_is_refused_before_anything_is_written(
    tmp_path, monkeypatch, capsys, told, said
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(devices, "find_devices", lambda names=None: simulated())
    assert child.main(told if isinstance(told, str) else json.dumps(told)) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n"), err.startswith(said)) == ("", 1, True)
    assert list(tmp_path.iterdir()) == []


def scripted(tmp_path, told, **script):
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"folder": str(tmp_path), **script}), encoding="utf-8")
    return ended([sys.executable, str(SCRIPTED), str(path)], told, tmp_path)


def test_a_failed_workload_is_3_and_its_record_is_kept(tmp_path):
    found = scripted(tmp_path, job(), other=[128])
    assert found.returncode == 3
    assert found.stderr == "RuntimeError: CUDA error: an illegal memory access was encountered\n"
    record = json.loads((tmp_path / "new" / "m.json").read_text(encoding="utf-8"))
    assert [phase["outcome"] for phase in record["phases"]] == ["success", "success", "failure"]


def test_a_record_that_exists_is_never_written_over(tmp_path):
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "m.json").write_text("mine", encoding="utf-8")
    found = scripted(tmp_path, job())
    assert (found.returncode, found.stderr.count("\n")) == (2, 1)
    assert "no measurement is overwritten" in found.stderr
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["m.json"]
    assert (tmp_path / "new" / "m.json").read_text(encoding="utf-8") == "mine"


def test_words_of_a_fiche_stand_beside_those_of_what_really_runs():
    """A1: the format declared and the format really loaded are two fields; what runs is not talked over."""
    own = {"model": {"name": "m"}, "formats": {"loaded": "bf16"}}
    told = {
        "model": {"name": "other", "revision": "r"},
        "formats": {"storage": "nf4", "loaded": "nf4"},
    }
    assert child.merged(own, told) == {
        "model": {"name": "m", "revision": "r"},
        "formats": {"storage": "nf4", "loaded": "bf16"},
    }


def test_an_error_of_the_workload_about_a_file_is_no_unwritable_record(tmp_path):
    """Only the record's own paths are ours to write."""
    told = job()
    one = child.job_of(json.dumps(told))
    assert child._unwritten(one, FileNotFoundError(2, "none", "weights.bin")) == 0
    assert child._unwritten(one, OSError(28, "No space left on device", "new/m.json.journal")) == 2
    assert child._unwritten(one, RuntimeError("new/m.json")) == 0
