"""Entries made up for tests of the index, and an archive of them that lies nowhere."""

import random
from collections.abc import Iterator, Mapping
from pathlib import Path

from fiche.archive.entry import CONFIDENTIALITY, KINDS, ORIGINS, OUTCOMES, Entry, Kept, Row
from fiche.archive.identity import bag_path, id_of
from fiche.archive.refusals import damaged, unknown
from fiche.archive.store import Added, Store

HOSTILE = (
    "'; DROP TABLE fiche_rows; --",
    '"quoted" and `ticked`',
    "100 % of_it\\",
    "nul\0inside",
    "\u202eright to left",
    "two\nlines\rand\ttabs",
    "\x1b[31mred\x1b[0m",
    "half of a pair \ud800",
    ":v0 %(v0)s {0} $1 ?",
    "e\u0301 and \u00c9 and stra\u00dfe",
    "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}stanbul",
    "long " * 2000,
)
MODELS = ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b", "Qwen/Qwen3-32B", "")
CARDS = ("nvidia-rtx-4090-24g", "NVIDIA GeForce RTX 4090", "NVIDIA H100 80GB HBM3", "")
AMOUNTS = (("8153726976", "B"), ("0.62", ""), ("12.5", "s"), ("125", "ms"), ("47.14", "USD"))


class HeldStore(Store):
    """An archive in memory. `missing` and `broken` are ids whose bags cannot be read."""

    def __init__(self, entries=(), id="0f0f0f0f-0000-4000-8000-000000000001") -> None:
        super().__init__("held", id)
        self.held: dict[str, Entry] = {}
        self.lines: list[Added] = []
        self.missing: set[str] = set()
        self.broken: set[str] = set()
        for one in entries:
            self.put(one, {})

    def put(self, entry: Entry, files: Mapping[str, bytes | Path]) -> bool:
        if entry.id in self.held:
            return False
        self.held[entry.id] = entry
        self.lines.append(Added(id=entry.id, path=bag_path(entry.id)))
        return True

    def entry(self, id: str) -> Entry:
        if id in self.missing or id not in self.held:
            raise unknown(id, self.where)
        if id in self.broken:
            raise damaged(bag_path(id), "it was broken")
        return self.held[id]

    def ids(self) -> Iterator[str]:
        return (id for id in sorted(self.held) if id not in self.missing)

    def entries(self, ids=None) -> Iterator[Entry]:
        self.damaged = []
        for id in self.ids() if ids is None else ids:
            if id in self.broken:
                self.damaged += damaged(bag_path(id), "it was broken").diagnostics
            else:
                yield self.held[id]

    def content(self, id: str, path: str) -> bytes:
        raise NotImplementedError

    def additions(self, offset: int) -> tuple[list[Added], int]:
        return self.lines[offset:], len(self.lines)


def entry(number: int = 0, **told) -> Entry:
    """An entry of one file, whose digest follows from its number."""
    kind = told.setdefault("kind", "record")
    files = told.setdefault("files", (kept(number),))
    return Entry(
        **{
            "id": id_of(kind, files),
            "title": f"Run {number}",
            "date": "",
            "added": "2026-12-01T10:00:00Z",
            "main": files[0].path,
            **told,
        }
    )


def kept(number: int, path: str = "run.json") -> Kept:
    return Kept(path=path, num_bytes=number, sha256=f"{number:064x}", media_type="application/json")


def observed(**told) -> Row:
    """A row with an amount."""
    return Row(**{"amount": "1024", "unit": "B", "origin": "observed", **told})


def made_up(number: int, chance: random.Random) -> Entry:
    """An entry with anything in it."""

    def text(*usual: str) -> str:
        return chance.choice(HOSTILE) if chance.random() < 0.15 else chance.choice(usual)

    def row() -> Row:
        amount, unit = chance.choice((*AMOUNTS, ("", "")))
        if amount and chance.random() < 0.5:
            amount = str(chance.randint(0, 99)) + chance.choice(("", ".5", ".25"))
        return Row(
            model=text(*MODELS),
            revision=text("", "0e9e39f2"),
            card=text(*CARDS),
            machine=text("node-7", "node-8", ""),
            engine=text("vllm", "llama.cpp", ""),
            engine_version=text("0.28.0", "10.28.1", ""),
            operation=text("generation", ""),
            case=text("limit", "usual", ""),
            candidate=text("rent-4090", ""),
            phase=text("decode", "prefill", ""),
            quantity=text("reserved_peak", "price", ""),
            amount=text(amount),
            unit=text(unit),
            origin=chance.choice(ORIGINS) if amount else "",
            outcome=chance.choice(("", *OUTCOMES)),
            place=text("/phases/0", ""),
        )

    files = tuple(kept(number * 10 + n, f"file-{n}.json") for n in range(chance.randint(1, 3)))
    return entry(
        number,
        kind=chance.choice(KINDS),
        files=files,
        title=text("Run on a card", "Wahl der Karte", f"Run {number}"),
        date=text("", f"2026-1{chance.randint(0, 2)}-0{chance.randint(1, 9)}", "2025"),
        added=f"2026-12-0{chance.randint(1, 9)}T10:00:0{chance.randint(0, 9)}Z",
        rows=tuple(row() for _ in range(chance.randint(0, 4))),
        author=text("", "A. Martin"),
        confidentiality=chance.choice(("", *CONFIDENTIALITY)),
        rights=text("", "CC BY 4.0", "internal use"),
        labels={text("project", "team"): text("alpha", "beta")} if chance.random() < 0.5 else {},
    )


def archive_of(count: int, seed: int = 1) -> HeldStore:
    """An archive of made-up entries, some of which supersede others."""
    chance = random.Random(seed)
    store = HeldStore()
    for number in range(count):
        one = made_up(number, chance)
        older = chance.choice(list(store.held)) if store.held else ""
        if older and chance.random() < 0.2:
            fields = {name: getattr(one, name) for name in type(one).__fields__}
            one = Entry(**{**fields, "supersedes": (older, "no id")})
        store.put(one, {})
    return store
