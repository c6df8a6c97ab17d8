"""Runs worked cases against fiche: `python tests/run_cases.py KIND FOLDER_OR_FILE`.

Works on any folder or file of the form of its kind, this repository's or another. Each kind of case is
one module of `cases/`, found by listing; each exports `add_options(parser)` and `run(path, options)`,
which yields one (name, complaints) per case, with a line on what passed and why as an optional third. A
kind that cannot judge every case exports `NOT_COVERED`: a complaint that starts with that word is
counted apart, neither passed nor failed. Prints a line per complaint and per passed case that says
something, ends with `N passed, N failed` (and `N not covered`), exits with 1 if any failed and 2
where there is nothing to run.
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
        one.add_argument("path", type=Path, metavar="FOLDER_OR_FILE")
        module.add_options(one)
    options = parser.parse_args(arguments)
    return modules[options.kind], options


def verdict(complaints, not_covered):
    """One word for a case; `not_covered` is how its kind marks what it cannot judge."""
    if not complaints:
        return "passed"
    apart = not_covered and all(each.startswith(not_covered) for each in complaints)
    return "not covered" if apart else "failed"


def main(arguments=None):
    """Run the cases of one folder or file; return the exit code."""
    module, options = parsed(arguments)
    if not options.path.exists():
        print(f"there is no {options.path}", file=sys.stderr)
        return 2
    not_covered = getattr(module, "NOT_COVERED", "")
    counts = dict.fromkeys(("passed", "failed", *(("not covered",) if not_covered else ())), 0)
    for name, complaints, *said in module.run(options.path, options):
        word = verdict(complaints, not_covered)
        counts[word] += 1
        for line in complaints or filter(None, said):
            print(f"{line_start(word)}{name}: {line}")
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    if not sum(counts.values()):
        return 2
    return 1 if counts["failed"] else 0


def line_start(word):
    """A failure stands out; what a complaint itself calls not covered is not said twice."""
    return {"failed": "FAILED ", "passed": "passed "}.get(word, "")


if __name__ == "__main__":
    # A checkout is run as it lies there, installed or not.
    sys.path.insert(0, str(HERE.parent / "src"))
    sys.exit(main())
