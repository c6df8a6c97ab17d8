"""However fiche is installed, it finds its files and says the version it was built as."""

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import fiche

ROOT = Path(__file__).parents[1]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

# Says what an installation finds, by the functions that the program itself uses.
REPORT = """
import fiche, json
from fiche import assets
def under(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
schemas = under(assets.schema_dir())
print(json.dumps({
    "package": str(assets.package_data("")),
    "version": fiche.__version__,
    "templates": under(assets.template_dir()),
    "schemas": schemas,
    "schema_lengths": [len(assets.schema_text(name)) for name in schemas],
    "package_files": [n for n in under(assets.package_data("")) if "__pycache__" not in n],
}))
"""


def run(*command, cwd, path=None):
    environment = {key: text for key, text in os.environ.items() if key != "PYTHONPATH"}
    if path:
        environment["PYTHONPATH"] = str(path)
    command = [str(part) for part in command]
    result = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def build(source, target, folder):
    """Build with the hatchling of the running environment: nothing is fetched."""
    run(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", folder, cwd=source)
    (built,) = folder.iterdir()
    return built


def environment(folder, *what):
    """Make an environment with `what` installed, its dependencies borrowed from the running one."""
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=ROOT)
    python = folder / "bin" / "python"
    own = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=ROOT)
    borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (Path(own.strip()) / "borrowed.pth").write_text("\n".join(borrowed), encoding="utf-8")
    offline = ("--no-deps", "--no-index", "--no-build-isolation", "--ignore-installed")
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", *offline)
    run(*pip, *what, cwd=folder)
    return python


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    return build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def unpacked(sdist, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return folder / f"fiche-{VERSION}"


def report(python, cwd, path=None):
    return json.loads(run(python, "-c", REPORT, cwd=cwd, path=path))


def files_under(folder):
    paths = (p.relative_to(folder) for p in folder.rglob("*") if p.is_file())
    return sorted(p.as_posix() for p in paths if "__pycache__" not in p.parts)


def check(found, package):
    """Compare what an installation finds with the checkout that it was made from."""
    assert Path(found["package"]).resolve() == package.resolve()
    assert found["version"] == VERSION
    for kind in ("templates", "schemas"):
        assert found[kind] == files_under(ROOT / kind) != []
    assert all(found["schema_lengths"])
    assert set(files_under(ROOT / "src" / "fiche")) <= set(found["package_files"])


def test_the_version_is_written_once_in_two_places():
    assert fiche.__version__ == VERSION


def test_checkout(tmp_path):
    check(report(sys.executable, tmp_path, ROOT / "src"), ROOT / "src" / "fiche")


def test_unpacked_sdist(unpacked, tmp_path):
    check(report(sys.executable, tmp_path, unpacked / "src"), unpacked / "src" / "fiche")


def test_editable_install(tmp_path):
    python = environment(tmp_path / "env", "--editable", ROOT)
    check(report(python, tmp_path), ROOT / "src" / "fiche")


def installed_package(python):
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return python.parents[1] / "lib" / version / "site-packages" / "fiche"


def test_wheel(wheel, tmp_path):
    python = environment(tmp_path / "env", wheel)
    check(report(python, tmp_path), installed_package(python))
    command = run(python.with_name("fiche"), "--help", cwd=tmp_path)
    assert "report" in command
    assert run(python, "-m", "fiche", "--help", cwd=tmp_path).count("\n") == command.count("\n")


def test_wheel_built_from_the_sdist(unpacked, tmp_path):
    (tmp_path / "wheel").mkdir()
    python = environment(tmp_path / "env", build(unpacked, "wheel", tmp_path / "wheel"))
    check(report(python, tmp_path), installed_package(python))


def test_the_wheel_holds_the_package_alone(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names} == {"fiche", f"fiche-{VERSION}.dist-info"}
    assert f"fiche-{VERSION}.dist-info/licenses/LICENSE" in names
    assert "fiche/py.typed" in names


def test_the_sdist_holds_what_a_rebuild_and_its_tests_need(unpacked):
    kept = {path.name for path in unpacked.iterdir()}
    wanted = {"src", "templates", "schemas", "tests", "samples", "README.md", "LICENSE", "Makefile"}
    assert wanted <= kept
