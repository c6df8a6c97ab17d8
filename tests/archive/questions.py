"""Questions made up for tests: parts of what entries say, and hostile ones."""

from fractions import Fraction

from archive.kept_entries import CARDS, HOSTILE, MODELS
from hypothesis import strategies as st

from fiche.archive.entry import CONFIDENTIALITY, KINDS, OUTCOMES
from fiche.archive.index_amount import bound_key
from fiche.archive.index_asked import SORTS, Amount, Asked, Label, Part
from fiche.archive.index_texts import folded

USUAL = (
    *("llama", "node-7", "0.28", "vllm", "decode", "peak", "run on", "alpha", "4.0", "json"),
    *(each for each in (*MODELS, *CARDS) if each),
)
# Some signs of what an entry may hold, and of what a database might take for its own.
SIGNS = "%_\\'\"; -=:?$(){}\0\n\u202e\ud800e\u0301\u00c9\u00df"
VERSIONS = ("0.28.0", "10.28.1")


@st.composite
def slices(draw):
    """A part of what some entries say: from their beginning, or from anywhere."""
    whole = draw(st.sampled_from((*USUAL, *VERSIONS, *HOSTILE)))[:40]
    start = draw(st.integers(0, len(whole) - 1))
    return whole[start : draw(st.integers(start + 1, len(whole)))]


texts = st.one_of(
    st.sampled_from(USUAL),
    st.sampled_from(HOSTILE),
    slices(),
    st.text(alphabet=SIGNS, min_size=1, max_size=3),
    st.just("z" * 10_000),
).map(folded)
parts = st.builds(Part, text=texts, where=st.sampled_from(("within", "first", "whole")))
wholes = st.builds(Part, text=st.one_of(st.just(""), texts), where=st.just("whole"))
within = st.builds(Part, text=texts, where=st.sampled_from(("within", "whole")))
fields = st.sampled_from(
    ("model", "card", "engine", "engine_version", "machine", "case", "candidate", "quantity")
)
outcomes = st.sampled_from(OUTCOMES).map(lambda word: Part(text=word, where="whole"))
DAYS = ("2026-10-05", "2026-11-01", "2026-12-09")


@st.composite
def bounds(draw):
    """`(sign, unit, bound)` as a plain search takes it."""
    unit = draw(st.sampled_from(("b", "", "s", "usd", "x")))
    bound = draw(st.fractions(min_value=0, max_value=100, max_denominator=9))
    return draw(st.sampled_from(("min", "max"))), unit, Fraction(bound)


ASKED = {
    "words": st.lists(texts, min_size=1, max_size=2).map(tuple),
    "texts": st.dictionaries(fields, st.tuples(st.one_of(parts, wholes)), min_size=1, max_size=2),
    "outcome": st.tuples(outcomes),
    "kinds": st.tuples(st.sampled_from(KINDS), st.sampled_from(KINDS)),
    "confidentiality": st.tuples(st.sampled_from(CONFIDENTIALITY)),
    "rights": st.tuples(within),
    "labels": st.tuples(st.builds(Label, name=texts, text=st.one_of(st.none(), within))),
    "since": st.sampled_from(DAYS),
    "until": st.sampled_from(DAYS),
    "digest": st.sampled_from(("0" * 62, "00", f"{31:064x}", "f" * 64)),
    "superseded": st.booleans(),
}


@st.composite
def questions(draw):
    """A question of one to three things, and its bounds of amounts."""
    names = draw(st.lists(st.sampled_from(tuple(ASKED)), max_size=3, unique=True))
    told = {name: draw(ASKED[name]) for name in names}
    if "outcome" in told:
        told["texts"] = {**told.get("texts", {}), "outcome": told.pop("outcome")}
    amounts = (
        {each[0]: each for each in draw(st.lists(bounds(), max_size=2))} if len(told) < 2 else {}
    )
    keys = {
        sign: Amount(text="x", keys={unit: bound_key(bound)})
        for sign, unit, bound in amounts.values()
    }
    asked = Asked(
        **told,
        least=keys.get("min"),
        most=keys.get("max"),
        sort=draw(st.sampled_from(SORTS)),
        backwards=draw(st.booleans()),
        limit=draw(st.sampled_from((0, 1, 3, 20))),
    )
    return asked, tuple(amounts.values())
