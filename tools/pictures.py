"""The pictures of the documentation: `python tools/pictures.py`.

Those of the rule are drawn from the rule itself (`_rule_pictures.py`); `--check` says which are stale and
exits with 1. The others are photographs of real reports and pages: `--pages` makes them again, with Pango,
poppler and Chromium.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from _rule_pictures import PICTURES

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "pictures"


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw the pictures, or say which are stale."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 where one is stale"
    )
    asked.add_argument("--pages", action="store_true", help="photograph reports and pages too")
    told = asked.parse_args(arguments)
    stale = [name for name, draw in PICTURES.items() if _now(FOLDER / name) != draw()]
    if told.check:
        for name in stale:
            sys.stderr.write(f"docs/pictures/{name} is stale: make pictures\n")
        return 1 if stale else 0
    FOLDER.mkdir(exist_ok=True)
    for name in stale:
        (FOLDER / name).write_text(PICTURES[name](), encoding="utf-8")
        sys.stdout.write(f"docs/pictures/{name}\n")
    if told.pages:
        from _page_pictures import photograph

        photograph(ROOT)
    return 0


def _now(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    sys.exit(main())
