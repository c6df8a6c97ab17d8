"""A report is enough: with the originals gone, nothing else of the machine is read and nothing is asked for."""

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from verify.sheets import report

import fiche

# Runs `fiche verify` and prints, as JSON, every path that Python opened, and every door to the outside.
WATCHED = """
import json, os, sys
seen, asked, written = set(), [], []
def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        seen.add(os.fsdecode(arguments[0]))
        if arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            written.append(os.fsdecode(arguments[0]))
    elif event in ("os.listdir", "os.scandir") and isinstance(arguments[0], str):
        seen.add(arguments[0])
    elif event.startswith(("socket.", "subprocess.", "urllib.", "os.system", "os.exec", "os.spawn")):
        if event == "urllib.Request" and str(arguments[0]).startswith("data:"):
            return  # what the page itself holds: its faces
        told = str(arguments[0]) if event == "subprocess.Popen" else ""
        asked.append(f"{event} {os.path.basename(told)}".strip())
sys.addaudithook(watch)
sys.argv = ["fiche", "verify", *sys.argv[1:]]
from fiche.cli import main
try:
    main.run()
except SystemExit as ended:
    print("\\nSEEN " + json.dumps([ended.code, sorted(seen), asked, written]))
"""


QUIET = {"PYTHONDONTWRITEBYTECODE": "1"}
# What `ctypes.util.find_library` runs where it looks for Pango: nothing of the report is told to any of them.
LOADERS = {
    f"subprocess.Popen {name}" for name in ("ldconfig", "gcc", "cc", "ld", "objdump", "uname")
}


@pytest.mark.parametrize("form", ["html", pytest.param("pdf", marks=pytest.mark.slow)])
def test_nothing_but_the_report_and_the_programs_is_read(form, tmp_path):
    home, there = tmp_path / "home", tmp_path / "there"
    home.mkdir()
    there.mkdir()
    path = there / f"report.{form}"
    path.write_bytes(report("serving", form))
    ran = subprocess.run(
        [sys.executable, "-c", WATCHED, str(path)],
        cwd=home,
        env={"HOME": str(home), "PATH": "", "TMPDIR": str(home), "FICHE_NO_CACHE": "1", **QUIET},
        capture_output=True,
        text=True,
        check=False,
    )
    code, seen, asked, written = json.loads(ran.stdout.rpartition("SEEN ")[2])
    assert code in (0, None), ran.stdout + ran.stderr
    assert [each for each in asked if each not in LOADERS] == []
    assert [name for name in seen if not _of_programs(name, home) and name != str(path)] == []
    assert [name for name in written if not _passing(name, home)] == []
    assert list(home.iterdir()) == []
    assert [each.name for each in there.iterdir()] == [path.name]


def _passing(name, home):
    return name == "/dev/null" or name.startswith(str(home))


def _of_programs(name, home):
    """Python, its libraries, fiche itself, and what a renderer keeps for a moment in a folder of its own."""
    package = Path(fiche.__file__).parent
    own = (package, package.parents[1] / "templates", package.parents[1] / "schemas", home)
    python = (sys.prefix, sys.base_prefix, *sysconfig.get_paths().values())
    system = ("/usr/", "/lib", "/etc/", "/proc/", "/dev/null", "/sys/")
    return name.startswith((*map(str, own), *python, *system)) or not name.startswith("/")
