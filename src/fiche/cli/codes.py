"""The documentation of codes: one Markdown file each, under `src/fiche/codes/`."""

from __future__ import annotations

from fiche.assets import package_data
from fiche.cli.usage import unknown
from fiche.kernel.diagnostic import Refused

FOLDER = "codes"


def code_text(code: str) -> str:
    """The Markdown text of a code.

    Raises:
        Refused: F701 there is no such code.
    """
    known = sorted(path.stem for path in package_data(FOLDER).glob("F*.md"))
    if code not in known:
        raise Refused([unknown("code", code, known)])
    return package_data(f"{FOLDER}/{code}.md").read_text(encoding="utf-8")


def code_json(code: str) -> dict[str, str]:
    """The same for programs: its title apart."""
    text = code_text(code)
    title = text.partition("\n")[0].removeprefix(f"# {code}").strip()
    return {"format": "fiche-code/1", "code": code, "title": title, "text": text}
