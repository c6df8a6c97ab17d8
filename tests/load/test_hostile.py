"""Whatever bytes come in, a fiche or a refusal comes out, soon (law 7)."""

import random
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loading import Importers, MemoryFolder

from fiche.kernel.address import Span
from fiche.kernel.diagnostic import Refused
from fiche.load.fiche import load_bytes, load_fiche
from fiche.load.folder import YAML_LIMIT

FICHE = """fiche: 1
title: Chat assistant
date: 2026-11-29
author: A. Martin
policy: team.yaml
catalogs: [offers.yaml, cards.yaml]
workload:
  model: {name: llama, revision: abc, parameters: 8030261248, layers: 32, kv_heads: 8}
  operation: adaptation
  method: {kind: qlora, rank: 16, targets: [q_proj]}
  engine: {name: vllm, version: 0.28.0, settings: {batched: 8192}}
  formats: {storage: bf16, cache: bf16, storage_bits: 16}
  placement: {devices: 1, resident: all}
  cases:
    - {id: limit, role: limit, prompt_tokens: 7900, resident_sequences: 4, phases: [decode]}
  duration: {value: 40 h, because: "one campaign"}
reserve:
  - {id: context, value: 0.5 GiB, because: seen}
margin:
  - {id: window, value: 1 GiB, because: grew}
pieces:
  - id: quote-17
    file: quote.txt
    kind: quote
    scope: {offer: offer-01, case: limit, executed: {prompt_tokens: 7900}}
    attests:
      - {fact: price, amount: 47.14 USD, per: 72 h, quote: "47.14 USD"}
      - {fact: capacity, counter: nvidia_smi_total, value: 24564 MiB, rounding: nearest}
requirements:
  - {id: quality, kind: quality, level: must, metric: m, dataset: d, at_least: 0.62, cases: [limit]}
  - {id: budget, kind: cost, level: must, at_most: 60 USD}
candidates:
  - {id: a, gpu: nvidia-rtx-4090-24g, cards: 1, offer: offer-01, other_users: none}
  - {id: b, baseline: a, change: {formats.cache: fp8_e4m3}}
  - {id: c, baseline: b, change: {gpu: my-card}}
decision: {chosen: none, by: A, because: x}
"""
FILES = {
    "team.yaml": "policy: 1\nname: t\nversion: 1\ntyped_scope: counts\ntie_tolerance: 2 %\nstrict: {}\n",
    "offers.yaml": "offers: 1\nlist:\n  - {id: offer-01, seller: A, kind: rent, "
    "gpu: nvidia-rtx-4090-24g, price: {amount: 47.14 USD, per: 72 h, quote: quote-17}}\n",
    "cards.yaml": "catalog: 1\ncards:\n  - {id: my-card, vendor: v, name: n, nominal: {value: 24 GB}}\n",
    "quote.txt": "Price 47.14 USD\n",
}
FRAGMENTS = [
    b"&a ",
    b"*a",
    b"!!x ",
    b"---\n",
    b"? ",
    b"{",
    b"]",
    b"\t",
    b"\xff",
    b"\x00",
    b"\r",
    b"'",
]
FRAGMENTS += [
    b"\xe2\x80\xa8",
    b"9" * 30,
    b"2.048 ",
    b"24G",
    b"..",
    b"~",
    b"null",
    b"-1",
    b"7e9",
    b"[[",
    b": ",
]
SECONDS = 5


def outcome(content, files=None):
    """Load; anything but a fiche or a refusal with places inside the texts fails the test."""
    held = {
        name: one.encode() if isinstance(one, str) else one
        for name, one in (files or FILES).items()
    }
    started = time.process_time()
    found = refusal(content, held)
    assert time.process_time() - started < SECONDS
    if found is None:
        return "fiche"
    assert found.diagnostics
    for one in found.diagnostics:
        assert one.code
        assert isinstance(one.address, Span)
        text = {"fiche.yaml": content, **held}[one.address.file]
        assert 1 <= one.address.line <= text.count(b"\n") + 1
    return "refused"


def refusal(content, held):
    try:
        load_bytes("fiche.yaml", content, MemoryFolder(held), Importers(()))
    except Refused as refused:
        return refused
    return None


def test_the_fiche_that_is_mutated_is_sound():
    assert outcome(FICHE.encode()) == "fiche"


@given(st.binary(max_size=200))
def test_any_bytes_are_a_fiche_or_refused(content):
    assert outcome(content) == "refused"


@given(st.text(max_size=200))
def test_any_text_is_a_fiche_or_refused(text):
    assert outcome(text.encode("utf-8", "replace")) == "refused"


def mutated(content, seed):
    """A sound text with a few bytes cut, doubled or replaced, a word or a line put elsewhere."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(content) + 1)
        to = min(len(content), at + chance.randint(0, 12))
        match chance.randrange(6):
            case 0:
                content = content[:at] + content[to:]
            case 1:
                content = content[:at] + content[at:to] * 2 + content[to:]
            case 2:
                content = content[:at] + chance.choice(FRAGMENTS) + content[to:]
            case 3 | 4:
                words = re.findall(rb"[\w.-]+", content) or [b"x"]
                content = content.replace(chance.choice(words), chance.choice(words), 1)
            case _:
                lines = content.split(b"\n")
                lines.insert(chance.randrange(len(lines)), lines[chance.randrange(len(lines))])
                content = b"\n".join(lines)
    return content


@settings(max_examples=300)
@given(st.integers(0, 2**32))
def test_a_damaged_fiche_is_read_or_refused(seed):
    outcome(mutated(FICHE.encode(), seed))


@settings(max_examples=100)
@given(st.sampled_from(sorted(FILES)), st.integers(0, 2**32))
def test_a_damaged_file_that_a_fiche_names_is_read_or_refused(name, seed):
    outcome(FICHE.encode(), {**FILES, name: mutated(FILES[name].encode(), seed)})


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 10**6,
        b"{a: " * 10**6,
        b"- " * 10**6,
        b"? " * 10**6,
        b"a:\n" + b" - 1\n" * 400_000,
        b"a: &a [*a]\n" * 100_000,
        b"a: 1\n" * 400_000,
        b"".join(b"k%d: 1\n" % number for number in range(90_000)),
        b"candidates:\n" + b"".join(b"- {id: a%d, gpu: x, cards: 1}\n" % n for n in range(12_000)),
        b"fiche: 1\ntitle: " + b"x" * 10**6 + b"\n",
        b"title: '" + b"''" * 10**6 + b"'\n",
        b'title: "' + b"\\\n" * 10**6 + b'"\n',
        b"!" * 10**6,
        b"'" * (YAML_LIMIT - 1),
    ],
    ids=lambda content: content[:12].decode(),
)
def test_large_and_deep_texts_are_refused_quickly(content):
    assert outcome(content) == "refused"


def test_a_file_of_a_hundred_megabytes_is_not_read(tmp_path):
    path = tmp_path / "huge.yaml"
    with path.open("wb") as file:
        file.truncate(100 * 10**6)
    started = time.process_time()
    with pytest.raises(Refused) as caught:
        load_fiche(path, Importers(()))
    assert caught.value.diagnostics[0].code == "F319"
    assert time.process_time() - started < 1
