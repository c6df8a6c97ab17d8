"""Runs folders of worked cases against fiche: `python tests/run_cases.py KIND FOLDER`.

Works on any folder of the form of its kind, this repository's or another. Each kind of case is one
module of `cases/`, found by listing; each exports `add_options(parser)` and `run(folder, options)`,
which yields one list of complaints per case. Prints a line per complaint, ends with
`N passed, N failed`, exits with 1 if any failed and 2 where there is nothing to run.
"""

import argparse
import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def kinds():
    """Return the kinds of cases by name."""
    return {
        path.stem: path
        for path in sorted((HERE / "cases").glob("*.py"))
        if not path.stem.startswith("_")
    }


def load(path):
    """Import one kind's module by path: it works without an installed test package."""
    spec = importlib.util.spec_from_file_location(f"fiche_cases_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    below = parser.add_subparsers(dest="kind", required=True)
    modules = {name: load(path) for name, path in kinds().items()}
    for name, module in modules.items():
        one = below.add_parser(name, help=module.__doc__.split("\n", 1)[0])
        one.add_argument("folder", type=Path)
        module.add_options(one)
    options = parser.parse_args(arguments)
    return modules[options.kind], options


def main(arguments=None):
    """Run the cases of one folder; return the exit code."""
    module, options = parsed(arguments)
    if not options.folder.is_dir():
        print(f"{options.folder} is no folder", file=sys.stderr)
        return 2
    passed = failed = 0
    for name, complaints in module.run(options.folder, options):
        for complaint in complaints:
            print(f"FAILED {name}: {complaint}")
        failed += bool(complaints)
        passed += not complaints
    print(f"{passed} passed, {failed} failed")
    if passed + failed == 0:
        return 2
    return 1 if failed else 0


if __name__ == "__main__":
    # A checkout is run as it lies there, installed or not.
    sys.path.insert(0, str(HERE.parent / "src"))
    sys.exit(main())
