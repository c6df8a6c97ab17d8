"""Fiches for tests: a smallest one to add lines to, and a folder that lies in memory."""

from fiche.importers._room import Room
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.load.fiche import load_bytes
from fiche.load.folder import UnreadableError, inside

HEAD = "fiche: 1\ntitle: A test\ndate: 2026-11-29\nauthor: A. Martin\n"
CANDIDATES = "candidates:\n  - {id: a, gpu: nvidia-rtx-4090-24g, cards: 1}\n"


class MemoryFolder:
    """Files by name, with the refusals of a folder of the disk."""

    def __init__(self, files):
        self.files = files

    def read(self, name, limit):
        inside(name)
        if name not in self.files:
            raise UnreadableError("F318", f"'{name}' does not exist", "check the name")
        if len(self.files[name]) > limit:
            raise UnreadableError("F319", f"'{name}' is too long", "split it")
        return self.files[name]


class Importers:
    """Importers of a test as loading is handed the room of them; without any, nothing is recognised."""

    def __init__(self, members):
        self.members = {one.name: one for one in members}

    def kinds(self):
        return tuple(sorted(self.members))

    def read(self, content, sha256, name, kind):
        if kind:
            return self.members[kind].read(content, sha256)
        scores = [(one.accepts(content, name), one.name) for one in self.members.values()]
        best, surest = max(scores, default=(0, ""))
        if best == 0:
            raise Refused([Diagnostic(code="F420", message="not recognised", address=None)])
        return self.members[surest].read(content, sha256)

    def document(self, content, sha256, name):
        return Room().document(content, sha256, name)


def text_of(*sections, head=HEAD, candidates=CANDIDATES):
    """A fiche made of a head, sections and candidates; a workload is added where none is given."""
    body = "".join(sections)
    if "workload:" not in body:
        body += "workload: {}\n"
    return head + body + candidates


def loaded(text, files=None, importers=()):
    content = {
        name: one.encode() if isinstance(one, str) else one for name, one in (files or {}).items()
    }
    return load_bytes("fiche.yaml", text.encode(), MemoryFolder(content), Importers(importers))


def fiche_of(*sections, files=None, importers=(), **parts):
    """The kernel's Fiche of a text."""
    return loaded(text_of(*sections, **parts), files, importers).fiche


def refusals(*sections, files=None, importers=(), **parts):
    """The (code, line, column) of everything refused, in order."""
    try:
        fiche_of(*sections, files=files, importers=importers, **parts)
    except Refused as refused:
        return [(d.code, d.address.line, d.address.column) for d in refused.diagnostics]
    return []
