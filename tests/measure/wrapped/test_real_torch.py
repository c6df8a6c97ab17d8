"""The hook beside the real PyTorch, built for the CPU: it waits, and it disturbs nothing (C10)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from measure.command_runs import FICHE

from fiche.measure.wrapped.asking import HOOK
from fiche.measure.wrapped.settings import Settings

pytestmark = pytest.mark.torch
TORCHRUN = Path(sys.executable).with_name("torchrun")


def hooked(folder):
    """The environment of a command under `fiche run`, which itself would refuse a CPU."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("FICHE_")}
    inherited.pop("PYTHONPATH", None)
    return Settings(str(folder), "run").environment(inherited, str(HOOK))


def ended(program, folder):
    return subprocess.run(
        [sys.executable, "-c", program],
        env=hooked(folder),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_it_waits_where_pytorch_waits_for_its_first_device(tmp_path):
    """`_lazy_call` of PyTorch itself: both kinds of accelerator queue what comes at initialisation."""
    done = ended(
        "import json, torch\n"
        "print(json.dumps([[getattr(call, 'func', call).__name__ for call, _ in api._queued_calls]"
        " for api in (torch.cuda, torch.xpu)]))",
        tmp_path,
    )
    assert done.returncode == 0, done.stderr
    cuda, xpu = json.loads(done.stdout)
    assert "_begin_quietly" in cuda
    assert "_begin_quietly" in xpu
    assert list(tmp_path.iterdir()) == []


def test_without_a_gpu_pytorch_says_what_it_says_anyway(tmp_path):
    program = (
        "import torch\ntry: torch.zeros(1, device='cuda')\nexcept Exception as e: print(repr(e))"
    )
    plain = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ended(program, tmp_path).stdout == plain.stdout
    assert list(tmp_path.iterdir()) == []


def test_what_it_needs_of_pytorch_is_there(tmp_path):
    """Names that the hook looks for: a missing one would cost a reading, never the program."""
    done = ended(
        "import torch\nimport torch.cuda.memory as m\nimport inspect\n"
        "source = inspect.getsource(m) + inspect.getsource(torch.accelerator.memory)"
        " + inspect.getsource(torch.xpu.memory)\n"
        "from fiche.measure.protocol.resets import NATIVE_RESETS as RESETS\n"
        "print([name for name in RESETS if '_C.' + name not in source])\n"
        "print(all(hasattr(m, n) for n in ('_record_memory_history', '_dump_snapshot')))\n"
        "print('max_entries' in inspect.signature(m._record_memory_history).parameters)",
        tmp_path,
    )
    assert done.stdout.split("\n")[:3] == ["[]", "True", "True"], done.stderr


def test_a_cpu_is_refused_before_torchrun_starts(tmp_path):
    """C10: its first line names the Python that is asked."""
    (tmp_path / "train.py").write_text("open('started', 'w')")
    line = [*FICHE, "run", "-o", "run", "--", TORCHRUN, "--nproc-per-node", "2", "train.py"]
    done = subprocess.run(
        line, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("F541 this PyTorch (")
    assert len(done.stderr.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["train.py"]


@pytest.mark.cluster
def test_ranks_of_torchrun_are_hooked_and_run_as_ever(tmp_path):
    """Each rank is a process of its own: it waits for a device that never comes, and leaves nothing."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "rank.py").write_text(
        "import os, torch\nimport torch.distributed as dist\n"
        "dist.init_process_group('gloo')\nheld = torch.ones(1) * dist.get_rank()\n"
        "dist.all_reduce(held)\n"
        "waits = any('_begin_quietly' in repr(c) for c, _ in torch.cuda._queued_calls)\n"
        "open(f\"said-{os.environ['RANK']}\", 'w').write(f'{held.item()} {waits}')\n"
        "dist.destroy_process_group()\n"
    )
    subprocess.run(
        [TORCHRUN, "--standalone", "--nproc-per-node", "2", "rank.py"],
        cwd=tmp_path,
        env=hooked(tmp_path / "folder"),
        capture_output=True,
        timeout=240,
        check=True,
    )
    assert [(tmp_path / f"said-{rank}").read_text() for rank in range(2)] == ["1.0 True"] * 2
    assert list((tmp_path / "folder").iterdir()) == []
