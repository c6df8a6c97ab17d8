"""Entries made for tests: no file stands behind them."""

import hashlib
import random
import uuid

from fiche.archive.entry import Entry, Kept, Row
from fiche.archive.identity import id_of
from fiche.kernel.record import replace

MODELS = ("meta-llama/Llama-3.1-8B-Instruct", "Qwen/Qwen2.5-7B", "mistralai/Mistral-7B-v0.3")
CARDS = ("nvidia-rtx-4090-24g", "nvidia-rtx-6000-ada-48g", "nvidia-l4-24g", "nvidia-h100-80g")
OUTCOMES = ("admissible", "to confirm", "exclude")


def entry(number, **more):
    """One entry; whatever is not told is made of its number."""
    text = str(number)
    kept = Kept(
        path="run.json",
        num_bytes=1000 + number,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        media_type="application/json",
    )
    told = {
        "id": str(uuid.uuid5(uuid.NAMESPACE_URL, text)),
        "kind": "record",
        "title": f"run {number}",
        "date": f"2026-11-{number % 28 + 1:02}",
        "added": f"2026-12-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}Z",
        "main": "run.json",
        "files": (kept,),
    }
    return Entry(**{**told, **more})


def many(count, models=MODELS, cards=CARDS):
    """Records and decisions of a few models on a few cards, the same ones every time."""
    chosen = random.Random(1)
    for number in range(count):
        model, card = chosen.choice(models), chosen.choice(cards)
        if number % 7 == 0:
            row = Row(model=model, card=card, candidate="one", outcome=chosen.choice(OUTCOMES))
            yield entry(number, kind="decision", title=f"decision {number}", rows=(row,))
            continue
        row = Row(
            model=model,
            card=card,
            phase="decode",
            quantity="max_memory_reserved.peak",
            origin="observed",
            amount=str(chosen.randrange(10**10, 2 * 10**10)),
            unit="B",
            outcome="passed" if number % 5 else "failed",
        )
        yield entry(
            number,
            rows=(row,),
            supersedes=(entry(number - 1).id,) if number % 11 == 0 else (),
            keep_until="2027-01-01" if number % 13 == 0 else "",
            confidentiality="confidential" if number % 17 == 0 else "",
        )


def stored(store, number, content=None, **more):
    """Put an entry with one real file into an archive; the entry."""
    content = f'{{"run": {number}}}'.encode() if content is None else content
    kept = Kept(
        path="run.json",
        num_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        media_type="application/json",
    )
    made = entry(number, files=(kept,), **more)
    made = replace(made, id=id_of(made.kind, made.files))
    assert store.put(made, {"run.json": content})
    return made
