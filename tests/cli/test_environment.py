"""`fiche environment`: what this machine is, what is missing, and a piece that bounds its capacity (F2, A5)."""

import json
import os
import re
import subprocess
import sys

import pytest
from jsonschema_rs import Draft202012Validator
from measure.machines import (
    GIB,
    MIB,
    VISIBLE,
    Api,
    Nvml,
    card,
    process,
    properties,
    torch_module,
)

from fiche.assets import schema_text
from fiche.cli import environment_asked, environment_piece
from fiche.cli.environment_text import question
from fiche.load.catalog import builtin_catalog
from fiche.measure.protocol import found
from fiche.measure.protocol.environment import ALLOCATOR_VARIABLES

SCHEMA = Draft202012Validator(json.loads(schema_text("environment.schema.json")))
# What stands in a module's place where nothing may be imported: a machine without torch and tools.
BLOCKED = "import sys\nfor name in ('torch', 'pynvml', 'amdsmi'): sys.modules[name] = None\n"


@pytest.fixture
def machine(monkeypatch):
    """A machine of our own making: modules by name, and no variable or driver of this one."""
    monkeypatch.setattr(found, "kernel_driver", lambda: None)
    for name in (*found._HIDES, *ALLOCATOR_VARIABLES):
        monkeypatch.delenv(name, raising=False)

    def made(**modules):
        for name in ("torch", "pynvml", "amdsmi"):
            monkeypatch.setitem(sys.modules, name, modules.get(name))

    return made


def one_card(**told):
    """A card that torch drives, and another process that holds 2 GiB of it."""
    one = card(compute=[process(7, 2 * GIB)], **told)
    used = Api(
        properties(), on_use=lambda _: one["compute"].append(process(os.getpid(), 400 * MIB))
    )
    return {"pynvml": Nvml(one), "torch": torch_module(used)}


def valid(document):
    assert [error.message for error in SCHEMA.iter_errors(document)] == []
    return document


# --- This machine ---------------------------------------------------------------------------------


def test_it_ends_with_0_wherever_it_runs(fiche):
    """Law 9: also on a machine without GPU, and with the very command of the guides."""
    ended = fiche("environment", "--json")
    assert (ended.code, ended.err) == (0, "")
    assert valid(ended.json())["environment"]["python"]
    assert fiche("environment").code == 0


def test_without_torch_and_without_gpu(tmp_path):
    """The guard of the guides in a process where torch cannot be imported: exit 0, no traceback."""
    program = BLOCKED + (
        "import sys; sys.argv = ['fiche', 'environment', '--device', 'cuda:0']\n"
        "from fiche.cli.main import run\nrun()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "PyTorch is not installed in this Python" in ended.stdout
    assert "python -m pip install torch" in ended.stdout
    assert list(tmp_path.iterdir()) == []


# --- A broken PyTorch -----------------------------------------------------------------------------


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """A PyTorch of our own making, which a process of its own is going to import."""
    monkeypatch.delitem(sys.modules, "torch", raising=False)

    def made(text):
        package = tmp_path / "site" / "torch"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(text)
        monkeypatch.setenv("PYTHONPATH", str(package.parent))

    return made


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "ended with SIGSEGV"),
        ("import os; os._exit(0)", "ended with exit code 0"),
        ("raise SystemExit(7)", "ended with exit code 7"),
        ("import time; time.sleep(60)", "no answer in 3 s"),
        ("raise RuntimeError('no such library')", "no such library"),
        ("class", "invalid syntax"),
    ],
)
def test_a_pytorch_that_takes_its_process_down_is_told(fiche, broken, monkeypatch, text, how):
    """F2: it says plainly what is missing, also where importing it crashes, ends or hangs."""
    broken(text)
    monkeypatch.setattr(environment_asked, "_SECONDS", 3)
    ended = fiche("environment", "--machine", "node-7", "--json")
    assert (ended.code, ended.err) == (0, "")
    told = valid(ended.json())
    (missing,) = told["missing"]
    assert missing["what"].startswith("PyTorch cannot be imported: ")
    assert how in missing["what"]
    assert told["machine"] == "node-7"
    assert "devices" not in told["environment"]


def test_what_a_library_prints_is_no_part_of_the_answer(fiche, broken):
    broken("import os; print('noise'); os.write(1, b'more noise\\n'); __version__ = '2.9.0'")
    ended = fiche("environment", "--json")
    assert ended.code == 0
    assert ended.json()["environment"]["framework"]["version"] == "2.9.0"
    assert "noise" not in ended.out


def test_a_defect_of_ours_is_none_of_pytorchs(broken, monkeypatch):
    broken("")
    monkeypatch.setattr(environment_asked, "PROGRAM", (sys.executable, "-c", DEFECT))
    with pytest.raises(RuntimeError, match="planted"):
        environment_asked.asked(None, "")


DEFECT = """
import fiche.cli.environment_asked as asked, fiche.measure.protocol.found as found

def planted(*_):
    raise ValueError("planted")

found.found_environment = planted
asked.main()
"""


# --- In words -------------------------------------------------------------------------------------


def test_a_card_with_its_question(fiche, machine):
    machine(**one_card(ecc=[0, 0]))
    ended = fiche("environment", "--device", "cuda:0")
    assert (ended.code, ended.err) == (0, "")
    lines = [" ".join(line.split()) for line in ended.out.splitlines()]
    assert "cuda:0 NVIDIA GeForce RTX 4090" in lines
    assert "declares 25 250 758 656 B (23.52 GiB)" in lines
    assert "others 2 147 483 648 B (2.00 GiB) (nvml_other_processes_used)" in lines
    assert "Allocator native, settings default" in lines
    assert "Driver 570.86.15" in lines
    declared = lines.index("declares 25 250 758 656 B (23.52 GiB)")
    assert lines[declared + 1] == (
        "which card is it? of the catalog, nvidia-rtx-4090-24g carries this name"
    )
    assert "Missing" not in ended.out


def test_rows_are_aligned_and_fit_the_terminal(fiche, machine, monkeypatch):
    machine(**one_card())
    monkeypatch.setenv("COLUMNS", "80")
    lines = fiche("environment").out.splitlines()
    assert max(map(len, lines)) <= 120
    assert all(line == line.rstrip() for line in lines)
    starts = {
        line.index(word) for line in lines for word in ("2.11.0+cu128", "570.86.15") if word in line
    }
    assert len(starts) == 1


def test_a_name_that_a_driver_prints_cannot_act_on_a_terminal(fiche, machine):
    """Law 7"""
    machine(torch=torch_module(Api(properties("\x1b[31mRTX\x07"))))
    ended = fiche("environment")
    assert ended.code == 0
    assert "\x1b" not in ended.out
    assert "\x07" not in ended.out


def test_a_command_to_copy_stands_on_one_line(fiche, machine):
    machine(torch=torch_module(version="2.13.0+cpu", cuda=None))
    lines = fiche("environment").out.splitlines()
    assert (
        '      python -c "import torch; print(torch.__version__, torch.version.cuda, torch.version.hip)"'
        in lines
    )


@pytest.mark.parametrize(
    ("name", "total", "said"),
    [
        (
            "NVIDIA GeForce RTX 4090",
            VISIBLE,
            "of the catalog, nvidia-rtx-4090-24g carries this name",
        ),
        ("NVIDIA GeForce RTX 5070", 12 * GIB, "nvidia-rtx-5070-12g"),
        (
            "NVIDIA GeForce RTX 3080",
            9 * GIB,
            "2 cards carry this name: nvidia-rtx-3080-10g, nvidia-rtx-3080-12g",
        ),
        ("NVIDIA GeForce RTX 3080", 11 * GIB, "of the catalog, nvidia-rtx-3080-12g carries"),
        ("NVIDIA H100 80GB HBM3", 79 * GIB, "nvidia-h100-sxm5-80g"),
        ("AMD Instinct MI300X", 191 * GIB, "amd-mi300x-192g"),
        ("NVIDIA GeForce RTX 4090", 48 * GIB, "its label is less than what this device declares"),
        ("Unheard Of 9000", GIB, "none of the catalog carries this name"),
    ],
)
def test_which_card_it_is_stays_a_question(name, total, said):
    """D3: a card's name and memory prove no card; one, several and none are said as such."""
    asked = question({"name": name, "total_memory_bytes": total}, builtin_catalog().cards.values())
    assert asked.startswith("which card is it? ")
    assert said in asked


def test_a_device_that_no_framework_sees_declares_nothing():
    asked = question({"name": "Tesla T4"}, builtin_catalog().cards.values())
    assert asked == "which card is it? of the catalog, nvidia-t4-16g carries this name"


# --- The piece ------------------------------------------------------------------------------------


def test_the_piece_is_what_json_prints(fiche, machine, tmp_path):
    machine(**one_card())
    path = tmp_path / "new" / "env.json"
    ended = fiche("environment", "--machine", "node-7", "--output", path, "--json")
    assert ended.code == 0
    written = json.loads(path.read_text(encoding="utf-8"))
    assert valid(written) == ended.json()
    assert (written["format"], written["machine"]) == ("fiche-environment/1", "node-7")
    assert len(list(path.parent.iterdir())) == 1


def test_the_piece_goes_the_whole_way_to_a_bound(fiche, machine, tmp_path):
    """DESIGN 4: written here, attached there, it bounds this machine and no other."""
    machine(**one_card())
    path = tmp_path / "env.json"
    assert fiche("environment", "--machine", "node-7", "-o", path).code == 0
    shown = fiche("import", path)
    assert "total of device 0" in shown.out
    assert "25250758656" in shown.out
    text = (
        "fiche: 1\ntitle: t\ndate: 2026-11-29\nworkload: {operation: generation}\n"
        "requirements:\n"
        "  - {id: room, kind: capacity, level: must, at_least: 22 GiB}\n"
        "candidates:\n"
        "  - {id: here, gpu: nvidia-rtx-4090-24g, cards: 1, machine: node-7}\n"
        "  - {id: there, gpu: nvidia-rtx-4090-24g, cards: 1, machine: node-8}\n"
    )
    target = tmp_path / "fiche.yaml"
    target.write_text(text, encoding="utf-8")
    attached = fiche("import", path, "--to", target)
    assert (attached.code, attached.err) == (0, "")
    # The card stays a question: it is a comment to complete.
    assert re.search(
        r"^ *# +gpu:  # .*nvidia-rtx-4090-24g$", target.read_text("utf-8"), re.MULTILINE
    )
    told = fiche("check", target, "--json")
    assert (told.code, told.err) == (0, "")
    rooms = {
        each["candidate"]: each["verdict"]
        for each in told.json()["findings"]
        if each["requirement"] == "room"
    }
    # 23.52 GiB are visible, and somebody else holds 2 of them.
    assert rooms == {"here": "to_confirm", "there": "to_confirm"}
    target.write_text(
        target.read_text(encoding="utf-8").replace("22 GiB", "21 GiB"), encoding="utf-8"
    )
    rooms = {
        each["candidate"]: each["verdict"]
        for each in fiche("check", target, "--json").json()["findings"]
        if each["requirement"] == "room"
    }
    assert rooms == {"here": "admissible", "there": "to_confirm"}


def test_nothing_is_ever_written_over(fiche, machine, tmp_path):
    """C10: a file that exists is not touched, and the machine is not even asked."""
    path = tmp_path / "env.json"
    path.write_text("mine", encoding="utf-8")
    machine(torch=torch_module(Api(properties(), available=SystemExit(9))))
    ended = fiche("environment", "--output", path)
    assert ended.code == 2
    assert "F610" in ended.err
    assert "--force" not in ended.err
    assert path.read_text(encoding="utf-8") == "mine"


def test_a_link_that_leads_nowhere_is_not_written_through(fiche, tmp_path):
    path = tmp_path / "env.json"
    path.symlink_to(tmp_path / "elsewhere")
    assert fiche("environment", "--output", path).code == 2
    assert not (tmp_path / "elsewhere").exists()


def test_a_full_disk_leaves_nothing(fiche, machine, tmp_path, monkeypatch):
    machine()

    def full(path, content):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(environment_piece, "write_new_file", full)
    ended = fiche("environment", "--output", tmp_path / "env.json")
    assert ended.code == 2
    assert "No space left on device" in ended.err
    assert "Traceback" not in ended.err
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_is_no_folder_is_one_sentence(fiche, machine, tmp_path):
    machine()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    ended = fiche("environment", "--output", tmp_path / "file" / "env.json")
    assert ended.code == 2
    assert "F611" in ended.err


@pytest.mark.parametrize("name", ["cpu", "gpu0", "cuda:x"])
def test_f510_a_name_that_is_no_gpu(fiche, machine, name):
    """C10: a CPU is no GPU."""
    machine()
    ended = fiche("environment", "--device", name)
    assert (ended.code, ended.out) == (2, "")
    assert f"F510 '{name}' names no GPU" in ended.err


def test_f510_an_index_that_is_not_there_beside_others(fiche, machine):
    machine(**one_card())
    ended = fiche("environment", "--device", "cuda:3", "--json")
    assert (ended.code, ended.out) == (2, "")
    assert "F510 there is no cuda:3: cuda:0 alone is visible to this process" in ended.err


@pytest.mark.parametrize("name", ["a b", "", "-x", "x" * 101, "a\x1b[2J"])
def test_f511_no_id_of_a_machine(fiche, machine, name):
    machine()
    ended = fiche("environment", f"--machine={name}")
    assert ended.code == 2
    assert "F511" in ended.err
    assert "\x1b" not in ended.err


def test_an_interruption_leaves_nothing(fiche, machine, tmp_path):
    machine(torch=torch_module(Api(properties(), available=True)))
    sys.modules["torch"].cuda.is_available = interrupted
    ended = fiche("environment", "--output", tmp_path / "env.json")
    assert (ended.code, ended.out) == (130, "")
    assert list(tmp_path.iterdir()) == []


def interrupted():
    raise KeyboardInterrupt


def test_the_schema_is_at_hand(fiche):
    assert json.loads(fiche("schema", "environment").out)["title"] == "environment of a machine"
