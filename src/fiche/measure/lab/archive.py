"""The files of a lab, byte for byte the same for one version of fiche, and the archive of them (F9)."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping, Sequence

from fiche.assets import package_data, template_text
from fiche.measure.lab.joined import Joined, joined, script
from fiche.measure.lab.notebook import notebook_text
from fiche.measure.protocol.tool import FORMAT, VERSION

SCRIPT = "fiche_lab.py"
NOTEBOOK = "fiche_lab.ipynb"
# Parts stand in this order: what can be computed first, then what must be read, then what is measured.
SCRIPT_ROOTS = (
    "fiche.measure.lab.estimate",
    "fiche.measure.protocol.found",
    "fiche.measure.protocol.turns",
    "fiche.measure.lab.command",
)
NOTEBOOK_ROOTS = (*SCRIPT_ROOTS, "fiche.measure.lab.cells")
_FOLDERS = {"fiche.measure.protocol": "measure/protocol", "fiche.measure.lab": "measure/lab"}
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest day that an archive can state


def lab_files(comparison: str) -> dict[str, bytes]:
    """Every file by its name, digests last; `comparison` is the text of the empty table (F5).

    Raises:
        UnjoinableError: the modules of the protocol cannot become one script.
    """
    parts, cells = lab_parts(SCRIPT_ROOTS), lab_parts(NOTEBOOK_ROOTS)
    texts = {
        "README.md": template_text("lab/README.md").replace("{{ version }}", VERSION),
        SCRIPT: lab_script(parts),
        NOTEBOOK: notebook_text(cells, VERSION),
        "comparison.csv": comparison,
        "LICENSE": template_text("lab/LICENSE"),
        "VERSION": f"fiche lab {VERSION}\n{FORMAT}\n",
    }
    files = {name: text.encode("utf-8") for name, text in texts.items()}
    return {**files, "SHA256SUMS": _digests(files)}


def lab_parts(roots: Sequence[str] = SCRIPT_ROOTS) -> Joined:
    """The modules of the protocol and of the lab's command line that the roots need, joined."""
    sources = {
        f"{package}.{path.stem}": path.read_text(encoding="utf-8")
        for package, folder in _FOLDERS.items()
        for path in sorted(package_data(folder).glob("*.py"))
    }
    return joined(sources, roots)


def lab_script(parts: Joined) -> str:
    """The stand-alone script."""
    return script(parts, _HEAD.replace("{{ version }}", VERSION), _TAIL)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """One archive with the files in a folder of their version.

    Stored and not compressed: compressors differ between machines, and the bytes must not.
    """
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        for name, text in files.items():
            entry = zipfile.ZipInfo(f"fiche-lab-{VERSION}/{name}", _EPOCH)
            entry.create_system = 3  # permissions as Unix writes them, wherever this runs
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, text)
    return content.getvalue()


def _digests(files: Mapping[str, bytes]) -> bytes:
    lines = (f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items())
    return "".join(lines).encode("ascii")


_HEAD = '''\
#!/usr/bin/env python3
"""Fiche lab {{ version }}: calculate GPU memory, look at the environment, measure a small dense network.

    python fiche_lab.py estimate --parameters 7000000000 --bits 16 --reserve-gib 4
    python fiche_lab.py environment --device cuda:0
    python fiche_lab.py measure --device cuda:0 --batch 2 --context 128 --width 1024 --dtype float32 \\\\
        --warmup 3 --repeats 5 --output m.json

Python 3.9 or newer and its standard library; PyTorch with a GPU backend only to measure. Nothing is
downloaded. A record is imported at home with `fiche import m.json`. README.md says what each phase
covers and what a record does not prove. The parts below are modules of fiche {{ version }}, joined as they are.
"""
# SPDX-License-Identifier: Apache-2.0
'''
_TAIL = """\
if __name__ == "__main__":
    sys.exit(main())
"""
