"""The reference under docs/reference, from schemas, commands and codes: `python tools/reference.py`.

Nothing there is typed by hand, so nothing there can drift. `--check` writes nothing and exits with 1 where
a page is missing, stale or left over.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from _reference_commands import commands
from _reference_schema import Page, anchor

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "reference"
SCHEMAS = ROOT / "schemas"
CODES = ROOT / "src" / "fiche" / "codes"

WRITTEN = (
    "<!-- Written by tools/reference.py (make reference): change the source, not this page. -->\n"
)
# What a schema is of, and the guide to it: the order of the index.
SUBJECTS = {
    "fiche": ("The fiche", "what a person writes", "../tutorial.md"),
    "offers": ("Offers", "what sellers offer: a catalog of one's own", "../market.md"),
    "catalog": ("Cards", "a catalog of cards", "../add-a-card.md"),
    "policy": ("Policy", "how strictly evidence is read", "../policies.md"),
    "review": ("Review", "comments on a report", "../review.md"),
    "campaign": ("Campaign", "cases and variants to measure", "../campaign.md"),
    "decision": ("decision.json", "the whole decision, for programs", "../formats.md"),
    "diff": ("Differences", "`fiche diff --json`", "../diff.md"),
    "pieces": ("Pieces", "`fiche import --json`", "../evidence.md"),
    "record": ("Record", "a measured run", "../records.md"),
    "run": ("Run", "a program watched by `fiche run`", "../measure.md"),
    "environment": ("Environment", "what a machine declares", "../environment.md"),
    "frontier": ("Frontier", "`fiche measure --frontier`", "../measure.md"),
    "model": ("Model", "what a model's files hold", "../models.md"),
    "archive-entry": ("Archive entry", "`fiche-entry.json` of a bag", "../archive-format.md"),
    "archive-overview": (
        "Archive overview",
        "`overview.json` of `fiche archive report`",
        "../archive.md",
    ),
    "archive-list": ("Archive list", "`fiche archive list --json`", "../archive-search.md"),
    "archive-shown": (
        "Archive entry, shown",
        "`fiche archive show --json`",
        "../archive-search.md",
    ),
    "archive-indexed": ("Archive index", "`fiche archive index --json`", "../archive-search.md"),
    "archive-search": ("Archive search", "`fiche archive search --json`", "../archive-search.md"),
    "simulation": ("Simulation", "`fiche simulate`", "../simulate.md"),
    "verification": ("Verification", "`fiche verify --json`", "../verify.md"),
}
ROOMS = (
    ("F1", "YAML, and its form"),
    ("F2", "Values written otherwise than they must be"),
    ("F3", "What a fiche says and cannot hold"),
    ("F4", "Evidence: files, logs, documents"),
    ("F5", "Machines, measuring, campaigns, simulation"),
    ("F6", "What is written: reports, listings, differences, comments"),
    ("F7", "The command line and its files"),
    ("F8", "Files of models, and the hub"),
    ("F9", "Verifying, signing, the archive"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pages, or say which are stale."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 where a page is stale"
    )
    check = asked.parse_args(arguments).check
    wanted = pages()
    stale = sorted(name for name, text in wanted.items() if _now(FOLDER / name) != text)
    left = sorted(path.name for path in FOLDER.glob("*.md") if path.name not in wanted)
    if check:
        for name in (*stale, *left):
            sys.stderr.write(f"docs/reference/{name} is stale: make reference\n")
        return 1 if stale or left else 0
    FOLDER.mkdir(exist_ok=True)
    for name in stale:
        (FOLDER / name).write_text(wanted[name], encoding="utf-8")
        sys.stdout.write(f"docs/reference/{name}\n")
    for name in left:
        (FOLDER / name).unlink()
    return 0


def pages() -> dict[str, str]:
    """Every page by its name."""
    found = {path.name.removesuffix(".schema.json"): path for path in SCHEMAS.glob("*.schema.json")}
    made = {f"{name}.md": _of_schema(name, path) for name, path in sorted(found.items())}
    made["commands.md"] = _commands()
    made["codes.md"] = _codes()
    made["README.md"] = _index(sorted(found, key=_place))
    return {name: re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n" for name, text in made.items()}


def _now(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def _place(name: str) -> tuple[int, str]:
    names = list(SUBJECTS)
    return (names.index(name) if name in names else len(names), name)


def _subject(name: str) -> tuple[str, str, str]:
    return SUBJECTS.get(name, (name.capitalize(), f"`fiche schema {name}`", ""))


def _of_schema(name: str, path: Path) -> str:
    schema = json.loads(path.read_text(encoding="utf-8"))
    title, _, guide = _subject(name)
    head = [f"# {title}", "", WRITTEN, schema.get("description", ""), ""]
    source = f"[JSON Schema](../../schemas/{path.name})"
    told = f"`fiche schema {name}` prints the {source} of which this page is made."
    if guide and (FOLDER / guide).exists():
        told += f" How it is used: [{guide.rpartition('/')[2]}]({guide})."
    return "\n".join([*head, told, "", *_comment(schema), Page(schema, name).text()])


def _comment(schema: Mapping[str, str]) -> Iterator[str]:
    if "$comment" in schema:
        yield schema["$comment"] + "\n"


def _commands() -> str:
    head = (
        "# Commands",
        "",
        WRITTEN,
        "What `--help` says, in one place. `fiche --install-completion` completes commands in the shell.",
        "Exit codes: 0 done, 2 refused, 3 a gate not met, 1 a defect of fiche",
        "([README](../../README.md#commands)).",
        "",
    )
    return "\n".join([*head, commands()])


def _codes() -> str:
    parts = [
        "# Codes",
        "",
        WRITTEN,
        "Whatever fiche refuses has a code, the place of the mistake and a hint.",
        "`fiche explain F202` prints the page of one.",
        "",
    ]
    files = sorted(CODES.glob("F*.md"))
    for start, title in ROOMS:
        rows = [path for path in files if path.stem.startswith(start)]
        if rows:
            parts += [f"## {title}", "", "| code | it means |", "| --- | --- |"]
            parts += [_code(path) for path in rows]
            parts.append("")
    return "\n".join(parts)


def _code(path: Path) -> str:
    title = (
        path.read_text(encoding="utf-8").partition("\n")[0].removeprefix(f"# {path.stem}").strip()
    )
    return f"| [{path.stem}](../../src/fiche/codes/{path.name}) | {title} |"


def _index(names: Sequence[str]) -> str:
    rows = "\n".join(f"| [{name}.md]({name}.md) | {_subject(name)[1]} |" for name in names)
    return (
        f"# Reference\n\n{WRITTEN}\n"
        "Every key of every file, every option and every code, from the sources that fiche itself reads.\n\n"
        "| page | what it lists |\n| --- | --- |\n"
        "| [commands.md](commands.md) | commands, arguments and options |\n"
        "| [codes.md](codes.md) | codes of what is refused |\n"
        f"{rows}\n"
    )


__all__ = ["anchor", "main", "pages"]

if __name__ == "__main__":
    sys.exit(main())
