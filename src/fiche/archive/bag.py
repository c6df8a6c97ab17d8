"""The texts of a bag, from its entry alone: BagIt 1.0 (RFC 8493), so that any tool checks it, or `sha256sum`.

Nothing here depends on who writes it or when: the same entry gives the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from fiche.archive.document import document_bytes
from fiche.archive.entry import Entry

ENTRY = "fiche-entry.json"
MANIFEST = "manifest-sha256.txt"
TAG_MANIFEST = "tagmanifest-sha256.txt"
DECLARATION = "bagit.txt"
INFORMATION = "bag-info.txt"
README = "README.txt"
PAYLOAD = "data"
DECLARED = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
# What every bag of fiche has, beside its payload.
TAGS = (DECLARATION, INFORMATION, MANIFEST, ENTRY, README)


def tag_files(entry: Entry, entry_bytes: bytes | None = None) -> dict[str, bytes]:
    """Every file of the bag that is no payload, the manifest of them last."""
    made = {
        DECLARATION: DECLARED,
        INFORMATION: _information(entry),
        MANIFEST: _manifest({f"{PAYLOAD}/{one.path}": one.sha256 for one in entry.files}),
        README: _readme(entry),
        ENTRY: document_bytes(entry) if entry_bytes is None else entry_bytes,
    }
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in made.items()}
    return {**made, TAG_MANIFEST: _manifest(digests)}


def _manifest(digests: Mapping[str, str]) -> bytes:
    return "".join(f"{digests[path]}  {path}\n" for path in sorted(digests)).encode("ascii")


def _information(entry: Entry) -> bytes:
    told = {
        "Bagging-Date": entry.added[:10],
        "External-Identifier": entry.id,
        "External-Description": entry.title,
        "Internal-Sender-Identifier": f"{entry.kind}:{entry.id}",
        "Internal-Sender-Description": _SAID[entry.kind],
        "Payload-Oxum": f"{sum(one.num_bytes for one in entry.files)}.{len(entry.files)}",
        "Bag-Software-Agent": "fiche",
    }
    lines = (f"{label}: {_one_line(text)}\n" for label, text in told.items() if text)
    return "".join(lines).encode("utf-8", "replace")


def _one_line(text: str) -> str:
    """A title may hold anything; a value is one line."""
    kept = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(kept.split())[:500]


_SAID = {
    "record": "A measured run: one record as the program wrote it",
    "piece": "A piece of evidence, as received",
    "fiche": "A fiche with every file that it names",
    "catalog": "A catalog of cards or offers",
    "policy": "A policy: how strictly evidence is read",
    "decision": "A decision with its report",
}


def _readme(entry: Entry) -> bytes:
    main = f"{PAYLOAD}/{entry.main}"
    return _README.format(said=_SAID[entry.kind], main=main, id=entry.id).encode("ascii")


_README = """\
{said}.

This folder is a bag (BagIt 1.0, RFC 8493). The files themselves lie under
data/, byte for byte as they were handed in. Begin with:

  {main}

fiche-entry.json says what they are, what they were called, and the figures
that they state. It is plain JSON. The id of this bag is
{id}.

To see that nothing has changed, in this folder:

  sha256sum --check --quiet manifest-sha256.txt tagmanifest-sha256.txt

(on macOS: shasum -a 256 -c), or any program that validates bags, such as
bagit.py --validate.
"""
