"""The scripts and styles of a page as a page holds them: `python tools/scripts.py` (make scripts).

`templates/*.js` are for people: names that say something, comments, blanks. A page is mailed, so it holds what
tdewolff/minify makes of them, a third less, which is kept under `templates/brief`; so are the rules of
`templates/*.css`, taken apart, of which a page holds those that it needs. A test makes them anew: a source that
has changed without this having been run is found. `--check` writes nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import minify

from fiche.render._classes import sheet
from fiche.render._rules import parted, styled
from fiche.render.scripts import PAINTS

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"
BRIEF = TEMPLATES / "brief"


def brief(source: str) -> str:
    """A script that does the same in fewer letters: local names are short, what is global keeps its own."""
    return str(minify.string("text/javascript", source)) + "\n"


def rules(source: str) -> str:
    """A style sheet taken apart, one rule a line."""
    lines = (json.dumps(each, ensure_ascii=False) for each in parted(styled(source).strip()))
    return "[\n" + ",\n".join(lines) + "\n]\n"


def made() -> dict[Path, str]:
    """Each file under `templates/brief`, by its path."""
    scripts = {path.name: brief(path.read_text("utf-8")) for path in TEMPLATES.glob("*.js")}
    styles = {
        f"{path.name}.json": rules(path.read_text("utf-8")) for path in TEMPLATES.glob("*.css")
    }
    painted = {f"{PAINTS}.json": rules(sheet())}
    return {BRIEF / name: text for name, text in sorted({**scripts, **styles, **painted}.items())}


def stale() -> list[str]:
    """Names of files that are missing, no longer what their source gives, or left over."""
    wanted = made()
    kept = {path: path.read_text(encoding="utf-8") for path in BRIEF.glob("*")}
    return sorted(path.name for path in {*wanted, *kept} if wanted.get(path) != kept.get(path))


def main(arguments: list[str]) -> int:
    """Write what is not there; or, with `--check`, say what is not."""
    parser = argparse.ArgumentParser(description="Make the brief scripts of a page.")
    parser.add_argument("--check", action="store_true", help="write nothing, say what is stale")
    if parser.parse_args(arguments).check:
        sys.stdout.write("".join(f"{name}\n" for name in stale()))
        return int(bool(stale()))
    BRIEF.mkdir(exist_ok=True)
    for path, text in made().items():
        path.write_text(text, encoding="utf-8")
    for path in BRIEF.glob("*"):
        if path not in made():
            path.unlink()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
