"""Whether one bag is as it was written: every file of it read, and compared with what its manifests say.

A bag may be hostile. Nothing in it is followed: only plain files in its own folder are opened, whatever
its manifests name. This is also the program of the processes that check a whole archive side by side:
`python -m fiche.archive.fixity ROOT QUICK FOLDER…` prints one JSON line for every few hundred bags.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import stat
import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from fiche.archive.bag import DECLARATION, DECLARED, ENTRY, MANIFEST, PAYLOAD, TAG_MANIFEST, TAGS
from fiche.archive.identity import is_id
from fiche.archive.looked_at import Looked, looked_at
from fiche.archive.opened import FLAGS
from fiche.archive.payload_paths import decoded, shown, unsafe
from fiche.kernel.diagnostic import Refused

_SHORT, _STEP = 32 * 1024, 1024 * 1024
MOST_MANIFEST = 32 * 2**20
_DEEPEST = 40
# What is told of one bag; beyond, how many more there are.
_MOST_TOLD = 20
_LINE = re.compile(r"([0-9A-Fa-f]{64})[ \t]+\*?(\S.*)")
# As fiche writes it: a path that needs no second look.
_PLAIN = re.compile(
    r"([0-9a-f]{64})  ((?:data/)?[A-Za-z0-9_+=@,()-][A-Za-z0-9._+=@,() -]*"
    r"(?:/[A-Za-z0-9_+=@,()-][A-Za-z0-9._+=@,() -]*)*)"
)
# The manifest of tags as fiche writes it: all of it is looked at in one go.
_TAGS_AS_WRITTEN = re.compile(
    "".join(rf"[0-9a-f]{{64}}  {re.escape(name)}\n" for name in sorted(TAGS)).encode("ascii")
)
_OTHER = re.compile(r"(?:tag)?manifest-[a-z0-9-]+\.txt")
_EVERY = frozenset((*TAGS, TAG_MANIFEST, PAYLOAD))
# Bags between two lines of a process that checks many.
PORTION = 200


class Finding(NamedTuple):
    """One thing that is wrong: its code, the place below the archive, and words."""

    code: str
    place: str
    message: str


class Checked(NamedTuple):
    """What the check of one bag found, how much it read, and what its entry says of others."""

    findings: list[Finding]
    num_files: int
    num_bytes: int
    looked: Looked | None


class _Bag:
    """The files of one bag, as they lie there."""

    def __init__(self, root: str, place: str, *, quick: bool) -> None:
        self.folder, self.place, self.quick = f"{root}/{place}", place, quick
        self.findings: list[Finding] = []
        self.num_files = self.num_bytes = 0

    def find(self, code: str, message: str) -> None:
        self.findings.append(Finding(code, self.place, message))

    def parts(self, name: str) -> Iterator[bytes]:
        """The bytes of a plain file, a step at a time; what keeps them from being read is told."""
        try:
            stream = os.open(f"{self.folder}/{name}", FLAGS)
            try:
                self.num_files += 1
                # Most are short, and memory for a long one costs more than reading a short one.
                part = os.read(stream, _SHORT)
                while part:
                    self.num_bytes += len(part)
                    yield part
                    part = os.read(stream, _STEP)
            finally:
                os.close(stream)
        except OSError as error:
            self.find("F933", f"{shown(name)} cannot be read: {error.strerror}")

    def read(self, name: str, limit: int) -> bytes | None:
        """The bytes of a file of at most `limit` bytes; None where it is longer."""
        content = b""
        for part in self.parts(name):
            content = content + part if content else part
            if len(content) > limit:
                self.find("F940", f"{name} is longer than {limit} bytes")
                return None
        return content

    def digest(self, name: str) -> str:
        """The digest of a file of any length."""
        found = hashlib.sha256()
        for part in self.parts(name):
            found.update(part)
        return found.hexdigest()


def check_bag(root: str, place: str, *, quick: bool = False) -> Checked:
    """Check the bag at a place below an archive; with `quick`, names and lengths of the payload alone."""
    bag = _Bag(root, place, quick=quick)
    looked = None
    if _has_its_files(bag):
        looked = _check(bag)
    more = len(bag.findings) - _MOST_TOLD
    if more > 0:
        del bag.findings[_MOST_TOLD:]
        bag.find("F933", f"and {more} more")
    return Checked(bag.findings, bag.num_files, bag.num_bytes, looked)


def _has_its_files(bag: _Bag) -> bool:
    """True where everything is there that a bag has; what else is there is told."""
    here: set[str] = set()
    try:
        if stat.S_ISLNK(os.lstat(bag.folder).st_mode):
            bag.find("F937", "it is a link: nothing behind it is looked at")
            return False
        with os.scandir(bag.folder) as found:
            for each in found:
                _look(bag, each, here)
    except OSError as error:
        bag.find("F933", f"the folder cannot be read: {error.strerror}")
        return False
    missing = _EVERY - here
    if missing and not bag.findings:
        bag.find("F939", f"{', '.join(sorted(missing))} missing: the bag is not whole")
    return not missing


def _look(bag: _Bag, each: os.DirEntry[str], here: set[str]) -> None:
    name = each.name
    plain = (
        each.is_dir(follow_symlinks=False)
        if name == PAYLOAD
        else each.is_file(follow_symlinks=False)
    )
    if name in _EVERY and plain:
        here.add(name)
    elif name == "fetch.txt":
        bag.find("F940", "fetch.txt names files elsewhere: nothing is ever fetched")
    elif _OTHER.fullmatch(name):
        bag.find("F940", f"{name}: a manifest of another kind than {MANIFEST}")
    elif not each.is_dir(follow_symlinks=False) and not each.is_file(follow_symlinks=False):
        bag.find("F937", f"{shown(name)} is a link or a device, not a file")
    else:
        bag.find("F938", f"{shown(name)} is in no manifest")


def _check(bag: _Bag) -> Looked | None:
    tags = _tags(bag)
    if tags is None:
        return None
    listed = _listed(bag, MANIFEST, tags[MANIFEST])
    if listed is None:
        return None
    there = dict(_payload(bag, PAYLOAD))
    looked = _entry(bag, tags[ENTRY], listed, there)
    for path in sorted(there.keys() - listed.keys())[: _MOST_TOLD + 1]:
        bag.find("F938", f"{shown(path)} is in no manifest")
    for path in sorted(listed.keys() - there.keys())[: _MOST_TOLD + 1]:
        bag.find("F939", f"{shown(path)} is missing")
    if not bag.quick:
        for path in listed.keys() & there.keys():
            if bag.digest(path) != listed[path]:
                bag.find(
                    "F933", f"{shown(path)} has changed: its sha256 is not that of the manifest"
                )
    return looked


def _tags(bag: _Bag) -> dict[str, bytes] | None:
    """Every tag file, each as the manifest of tags says; None where one cannot be used."""
    told = bag.read(TAG_MANIFEST, _STEP)
    listed = None if told is None else _listed(bag, TAG_MANIFEST, told)
    if listed is None:
        return None
    if listed.keys() != set(TAGS):
        bag.find("F940", f"{TAG_MANIFEST} does not list the files that fiche writes")
        return None
    tags: dict[str, bytes] = {}
    for name in TAGS:
        content = bag.read(name, MOST_MANIFEST)
        if content is None:
            return None
        if hashlib.sha256(content).hexdigest() != listed[name]:
            bag.find("F933", f"{name} has changed: its sha256 is not that of {TAG_MANIFEST}")
        tags[name] = content
    if tags[DECLARATION] != DECLARED:
        bag.find("F940", f"{DECLARATION} declares no BagIt 1.0 in UTF-8")
    return tags


def _listed(bag: _Bag, name: str, content: bytes) -> dict[str, str] | None:
    """The digests of a manifest by path; None where a line of it cannot be used."""
    if name == TAG_MANIFEST and _TAGS_AS_WRITTEN.fullmatch(content):  # nearly always
        return dict(zip(sorted(TAGS), content.decode("ascii").split()[::2], strict=True))
    found: dict[str, str] = {}
    num_lines = 0
    is_payload = name == MANIFEST
    for line in content.decode("utf-8", "replace").splitlines():
        match = _PLAIN.fullmatch(line)
        is_plain = match is not None and (not is_payload or match[2].startswith("data/"))
        match = match or _LINE.fullmatch(line)
        if match is None:
            bag.find("F940", f"{name} has a line that is none: {shown(line)}")
            return None
        path = match[2] if is_plain else decoded(match[2])
        why = unsafe(path) if is_payload and not is_plain else ""
        if why:
            bag.find("F937", f"{name} names {shown(path)}: {why}")
            return None
        found[path] = match[1].lower()
        num_lines += 1
    if len({path.casefold() for path in found}) != num_lines:
        bag.find("F948", f"{name} names a file twice, or two that differ but for capitals")
    return found


def _payload(bag: _Bag, above: str, depth: int = 0) -> Iterator[tuple[str, int]]:
    """Every plain file below `data/` with its length where that is wanted; what is none is told."""
    if depth > _DEEPEST:
        bag.find("F937", f"{shown(above)} is nested deeper than anything that is kept")
        return
    try:
        with os.scandir(f"{bag.folder}/{above}") as found:
            for each in found:
                path = f"{above}/{each.name}"
                if each.is_file(follow_symlinks=False):
                    yield path, each.stat(follow_symlinks=False).st_size if bag.quick else -1
                elif each.is_dir(follow_symlinks=False):
                    yield from _payload(bag, path, depth + 1)
                else:
                    bag.find("F937", f"{shown(path)} is a link or a device, not a file")
    except OSError as error:
        bag.find("F933", f"{shown(above)} cannot be read: {error.strerror}")


def _entry(
    bag: _Bag, content: bytes, listed: Mapping[str, str], there: Mapping[str, int]
) -> Looked | None:
    """What the entry says; that it is of this bag, and of these files."""
    try:
        looked = looked_at(content)
    except Refused as refused:
        bag.findings += [Finding(one.code, bag.place, one.message) for one in refused.diagnostics]
        return None
    if not looked.is_own or bag.place != f"bags/{looked.id[:2]}/{looked.id}":
        bag.find("F942", f"its entry has the id {shown(looked.id)}, which is not that of the bag")
    if {f"{PAYLOAD}/{path}": sha256 for path, (sha256, _) in looked.files.items()} != listed:
        bag.find("F942", f"{ENTRY} and {MANIFEST} name different files")
    elif bag.quick:
        for path, (_, num_bytes) in looked.files.items():
            if there.get(f"{PAYLOAD}/{path}", num_bytes) != num_bytes:
                bag.find("F933", f"{shown(path)} has another length than its entry says")
    return looked


def portions(root: str, places: Iterator[str], *, quick: bool) -> Iterator[dict[str, object]]:
    """The checks of many bags, added up over a few hundred of them each."""
    counts, findings, related = [0, 0, 0], [], []
    for place in places:
        checked = check_bag(root, place, quick=quick)
        counts = [counts[0] + 1, counts[1] + checked.num_files, counts[2] + checked.num_bytes]
        findings += checked.findings
        if checked.looked is not None and (checked.looked.supersedes or checked.looked.keep_until):
            looked = checked.looked
            related.append([looked.id, looked.supersedes, looked.keep_until])
        if counts[0] == PORTION:
            yield {"counts": counts, "findings": findings, "related": related}
            counts, findings, related = [0, 0, 0], [], []
    yield {"counts": counts, "findings": findings, "related": related}


def bags_in(root: str, folder: str) -> list[str]:
    """The places of the bags in a folder of bags, in order; what is none is told by who lists the archive."""
    with os.scandir(f"{root}/bags/{folder}") as found:
        return sorted(
            f"bags/{folder}/{each.name}"
            for each in found
            if is_id(each.name) and each.name[:2] == folder and each.is_dir(follow_symlinks=False)
        )


def main(arguments: list[str]) -> int:
    """Check the bags of some folders, and print what was found."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever asked says that it was interrupted
    if hasattr(signal, "pthread_sigmask"):  # whoever asked held it back until here
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))
    root, quick, *folders = arguments

    places = (place for folder in folders for place in bags_in(root, folder))
    try:
        for told in portions(root, places, quick=quick == "quick"):
            sys.stdout.write(json.dumps(told) + "\n")
            sys.stdout.flush()
    except BrokenPipeError:  # whoever asked has gone
        os._exit(1)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
