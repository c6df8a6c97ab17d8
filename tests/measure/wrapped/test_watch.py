"""Which processes of a command leave a record: those that use a GPU, each its own (C9, C10)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from measure.command_runs import STAND_IN, environment

MIB = 1 << 20
PYTHON = sys.executable
LIGHT = (
    "__future__",
    "importlib",
    "importlib._bootstrap",
    "importlib._bootstrap_external",
    "warnings",
)


def peaks(done):
    """MiB of each program's record; none of one that never ended."""
    return sorted(
        phase["devices"][0]["peak"]["allocated_bytes"] // MIB
        for record in done.records
        for phase in record["phases"]
    )


def test_a_process_that_only_imports_pytorch_leaves_none(fiche_run, script):
    """Workers that load inputs do so; the command used no GPU, so nothing was measured (C10)."""
    path = script("import torch\nprint('done')")
    done = fiche_run(command=[PYTHON, path])
    assert (done.code, done.out) == (2, "done\n")
    assert done.err.startswith(
        "F543 the command ended with 0, and none of its processes used a GPU"
    )
    assert not done.folder.exists()


def test_a_command_that_failed_before_it_used_a_gpu_is_an_observation(fiche_run, script):
    """C11: loading may end a process for want of host memory."""
    path = script("import torch, sys\nsys.exit(9)")
    done = fiche_run(command=[PYTHON, path])
    assert (done.code, done.index["exit"], done.index["records"]) == (3, {"status": 9}, [])
    assert "no process used a GPU" in done.err


def test_a_process_forked_before_the_gpu_was_used_is_one_of_its_own(fiche_run, script):
    path = script(
        "import os, torch\npid = os.fork()\n"
        "torch.take(10 if pid else 20)\nif pid: os.waitpid(pid, 0)\nelse: os._exit(0)\n"
    )
    done = fiche_run(command=[PYTHON, path])
    assert (done.code, peaks(done)) == (0, [10, 20])


def test_a_process_forked_later_is_no_second_one(fiche_run, script):
    """It inherits the counters of its parent, not the device."""
    path = script(
        "import os, sys, torch\ntorch.take(10)\npid = os.fork()\n"
        "if not pid: sys.exit(0)\nos.waitpid(pid, 0)\n"
    )
    done = fiche_run(command=[PYTHON, path])
    assert (peaks(done), done.phase["outcome"]) == ([10], "success")


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes_leave_records(fiche_run, script, method):
    """Forked workers leave without the interpreter's own end."""
    path = script(
        "import multiprocessing as mp\nimport torch\n"
        "def work(mib):\n    torch.take(mib)\n    assert mib < 30\n"
        "if __name__ == '__main__':\n"
        f"    context = mp.get_context('{method}')\n"
        "    workers = [context.Process(target=work, args=(mib,)) for mib in (10, 20, 30)]\n"
        "    for each in workers: each.start()\n"
        "    for each in workers: each.join()\n"
        "    assert [each.exitcode for each in workers] == [0, 0, 1]\n"
    )
    done = fiche_run(command=[PYTHON, path])
    assert (done.code, peaks(done)) == (0, [10, 20, 30]), done.err
    outcomes = {
        record["phases"][0]["devices"][0]["peak"]["allocated_bytes"] // MIB: record["phases"][0]
        for record in done.records
    }
    assert [outcomes[mib]["outcome"] for mib in (10, 20, 30)] == ["success", "success", "failure"]
    assert outcomes[30]["error"]["message"] == "exit status 1"


def test_what_the_hook_puts_in_place_can_be_handed_to_another_process(fiche_run, script):
    """`os._exit` and `sys.exit` are found by their names."""
    path = script(
        "import multiprocessing as mp, os, pickle, sys, torch\n"
        "if __name__ == '__main__':\n"
        "    torch.take(1)\n"
        "    assert pickle.loads(pickle.dumps(sys.exit)) is sys.exit\n"
        "    worker = mp.get_context('spawn').Process(target=os._exit, args=(5,))\n"
        "    worker.start(); worker.join()\n"
        "    assert worker.exitcode == 5\n"
    )
    assert fiche_run(command=[PYTHON, path]).code == 0


def test_a_process_that_becomes_another_program_leaves_two(fiche_run, script):
    """The first one's end nobody saw."""
    path = script(
        "import os, sys, torch\ntorch.take(10)\n"
        "if len(sys.argv) == 1: os.execv(sys.executable, [sys.executable, __file__, 'again'])\n"
    )
    done = fiche_run(command=[PYTHON, path])
    assert done.code == 0
    assert sorted(entry["outcome"] for entry in done.index["records"]) == ["success", "unknown"]
    assert len({entry["file"] for entry in done.index["records"]}) == 2


def test_ranks_are_told_as_their_launcher_tells_them(fiche_run, script):
    """C9: one record a rank, each under its own name."""
    script("import os, torch\ntorch.take(10 + int(os.environ['RANK']))", "rank.py")
    path = script(
        "import os, subprocess, sys\n"
        "ranks = [subprocess.Popen([sys.executable, 'rank.py'], env={**os.environ, 'RANK': str(r),"
        " 'LOCAL_RANK': str(r), 'WORLD_SIZE': '2', 'GROUP_RANK': '0'}) for r in range(2)]\n"
        "sys.exit(any([each.wait() for each in ranks]))\n",
        "launch.py",
    )
    done = fiche_run("--run", "two", command=[PYTHON, path])
    assert [entry["file"][:14] for entry in done.index["records"]] == [
        "program-rank0-",
        "program-rank1-",
    ]
    assert [record["series"]["rank"] for record in done.records] == [
        {"rank": rank, "world": 2, "local_rank": rank, "node": "0"} for rank in range(2)
    ]
    assert {record["series"]["run"] for record in done.records} == {"two"}


def test_a_shell_is_a_command_too(fiche_run, script):
    path = script("import torch\ntorch.take(3)")
    line = f"{PYTHON} {path} && {PYTHON} {path}; exit 6"
    done = fiche_run(command=["sh", "-c", line], PATH=f"{Path(PYTHON).parent}:{os.environ['PATH']}")
    assert (done.code, done.index["exit"], peaks(done)) == (3, {"status": 6}, [3, 3])
    assert [entry["outcome"] for entry in done.index["records"]] == ["success", "success"]


def test_records_of_the_programs_own_recorder_join_the_run(fiche_run, script):
    """The recorder resets peaks for its phases; the program's own peak stays what it was."""
    path = script(
        "import torch, fiche\n"
        "torch.take(200); torch.give(190)\n"
        "with fiche.recorder(sample_ms=0) as rec:\n"
        "    with rec.phase('forward', microbatch=2) as phase:\n"
        "        torch.take(30); phase.executed(microbatch=2)\n"
    )
    done = fiche_run("--run", "joined", command=[PYTHON, path])
    kinds = {
        entry["kind"]: record
        for entry, record in zip(done.index["records"], done.records, strict=True)
    }
    assert set(kinds) == {"program", "recorder"}
    assert {record["series"]["run"] for record in done.records} == {"joined"}
    (forward,), (program,) = kinds["recorder"]["phases"], kinds["program"]["phases"]
    assert forward["executed"] == {"microbatch": 2}
    assert forward["devices"][0]["peak"]["allocated_bytes"] == 40 * MIB
    assert program["devices"][0]["peak"]["allocated_bytes"] == 200 * MIB


def test_a_python_without_fiche_is_watched_too(fiche_run, script):
    """Only what the hook needs is lent, and only where nothing else has that name."""
    bare = sys._base_executable
    path = script(
        "import sys, torch\ntorch.take(3)\nimport fiche\n"
        "assert 'typer' not in sys.modules\nprint(fiche.__name__)"
    )
    done = fiche_run(command=[bare, "-s", path])
    assert (done.code, done.out, peaks(done)) == (0, "fiche\n", [3]), done.err


def test_the_programs_own_customisation_runs_and_its_path_is_its_own(fiche_run, script, tmp_path):
    (tmp_path / "mine").mkdir()
    script("print('mine first')", "mine/sitecustomize.py")
    path = script(
        "import sys, sitecustomize, torch\ntorch.take(1)\n"
        "print(sitecustomize.__file__)\nprint([p for p in sys.path if 'wrapped' in p])"
    )
    here = os.pathsep.join([str(tmp_path / "mine"), str(STAND_IN)])
    done = fiche_run(command=[PYTHON, path], PYTHONPATH=here)
    assert done.code == 0
    assert done.out.splitlines() == [
        "mine first",  # of fiche run itself
        "mine first",
        str(tmp_path / "mine/sitecustomize.py"),
        "[]",
    ]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("os.environ['FICHE_RUN_HOOK'] = '{'", "JSONDecodeError"),
        ("del os.environ['FICHE_RUN_ID']", "KeyError"),
        ("shutil.rmtree(folder); open(folder, 'w').close()", None),
    ],
)
def test_what_goes_wrong_in_the_hook_never_reaches_the_program(fiche_run, script, line, why):
    """It is said, where there is somewhere to say it."""
    path = script(
        f"import os, shutil, torch\nfolder = os.environ['FICHE_RUN_FOLDER']\n{line}\n"
        "torch.take(1)\nprint('well')"
    )
    done = fiche_run(command=[PYTHON, path])
    assert (done.code, done.out) == (2, "well\n")
    assert "Traceback" not in done.err
    if why is not None:
        assert why in done.err
        assert not done.folder.exists()


def test_a_process_without_pytorch_pays_for_next_to_nothing(fiche_run, script):
    """Every Python process of the command runs the hook."""
    path = script(
        "import sys\nnames = sorted(sys.modules)\nimport json\n"
        "sys.stderr.write(json.dumps(names) + '\\n')\n"
        "if len(sys.argv) > 1:\n    import torch; torch.take(1)"
    )
    plain = subprocess.run(
        [PYTHON, path], env=environment(), capture_output=True, text=True, check=True
    )
    hooked = fiche_run(command=[PYTHON, path, "gpu"])
    assert hooked.code == 0
    more = set(json.loads(hooked.err.splitlines()[0])) - set(json.loads(plain.stderr))
    assert more <= {"_fiche_meeting", "sitecustomize", "importlib.machinery", *LIGHT}
