"""The process ends with the command's code, its streams flushed, and defects still show (law 9)."""

import subprocess
import sys

import fiche as package

ASK = "import sys; sys.argv = ['fiche', *sys.argv[1:]]; from fiche.cli.process import main; main()"


def ended(*arguments, before=""):
    command = [sys.executable, "-c", before + ASK, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_code_and_both_streams_arrive():
    assert (ended("--version").returncode, ended("--version").stdout[:6]) == (0, "fiche ")
    refused = ended("check", "no-such-file.yaml")
    assert (refused.returncode, "F318" in refused.stderr, refused.stdout) == (2, True, "")


def test_long_output_arrives_whole():
    """Leaving at once must not leave what is still in a buffer."""
    out = ended("schema", "fiche").stdout
    assert out.rstrip().endswith("}")


def test_a_defect_of_ours_is_a_traceback_and_code_1():
    broken = "import fiche.cli.main as m; m.run = lambda: 1 / 0\n"
    ending = ended("--version", before=broken)
    assert ending.returncode == 1
    assert "ZeroDivisionError" in ending.stderr


def test_the_version_loads_no_command():
    program = (
        "import sys\n"
        "from fiche.cli import main, named\n"
        "sys.argv = ['fiche', '--version']\n"
        "try:\n    main.run()\nexcept SystemExit:\n    pass\n"
        "modules = {f'fiche.cli.{name}' for name in (*named.COMMANDS, *named.GROUPS, 'import_')}\n"
        "print(sorted(modules & set(sys.modules)), 'sqlalchemy' in sys.modules)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ended.stdout.splitlines() == [f"fiche {package.__version__}", "[] False"]
