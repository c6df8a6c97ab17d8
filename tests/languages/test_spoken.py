"""Each language writes numbers, days and counts its own way, and no two of them ever say another number."""

import re
import subprocess
import sys
from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.kernel.diagnostic import Refused
from fiche.kernel.figure import Figure
from fiche.kernel.origin import Stated
from fiche.kernel.said import Short, Shown, listed, tell, tell_count
from fiche.kernel.unit import BYTE, HOUR, ONE, count_of, money
from fiche.languages import spoken, tags
from fiche.report import numbers

NARROW, HARD = "\N{NARROW NO-BREAK SPACE}", "\N{NO-BREAK SPACE}"
OTHERS = ("fr", "pt", "tr")
EVERY = ("en", *OTHERS)


def figure(low, high=..., unit=BYTE):
    return Figure(low=low, high=low if high is ... else high, unit=unit, origin=Stated(span=None))


def read(text, how):
    """The number that a text says: blanks of any kind group, the decimal sign is the language's."""
    plain = re.sub(r"[\s\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}]", "", text)
    if how.group.strip():
        plain = plain.replace(how.group, "")
    return Fraction(plain.replace(how.decimal, ".").replace("−", "-"))


def test_there_are_four_languages():
    assert tags() == EVERY


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("en", f"12{HARD}345.68"),
        ("fr", f"12{NARROW}345,68"),
        ("pt", "12.345,68"),
        ("tr", "12.345,68"),
    ],
)
def test_signs_of_numbers(tag, text):
    assert numbers.rounded(Fraction("12345.678"), 2, spoken(tag).style) == text


@pytest.mark.parametrize(
    ("tag", "text"),
    [("en", f"20{HARD}%"), ("fr", f"20{HARD}%"), ("pt", "20%"), ("tr", "%20")],
)
def test_percent(tag, text):
    how = spoken(tag).style
    assert numbers.percent(figure(Fraction(1, 5), unit=ONE), how) == text
    assert numbers.percented("20", how) == text
    assert numbers.percented("-20", how) == f"-{text}"


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("en", "2026-11-01"),
        ("fr", "1er\u00a0novembre 2026"),
        ("pt", "1\u00a0de novembro de 2026"),
        ("tr", "1\u00a0Kasım 2026"),
    ],
)
def test_days(tag, text):
    how = spoken(tag).style
    day = figure(date(2026, 11, 1).toordinal(), unit=count_of("date"))
    assert numbers.amount(day, how) == text
    assert numbers.dated("2026-11-01", how) == text
    assert numbers.dated("2026-11-31", how) == "2026-11-31"
    assert spoken(tag).told(tell("it is of {day}", day="2026-11-01")).endswith(text)


@pytest.mark.parametrize("tag", EVERY)
def test_symbols_of_bytes_are_the_same_everywhere(tag):
    how = spoken(tag).style
    told = numbers.memory(24 * 10**9, "GiB", how), numbers.memory(24 * 10**9, "GB", how)
    assert [text.split(how.space)[-1] for text in told] == ["GiB", "GB"]


@pytest.mark.parametrize("tag", EVERY)
def test_money_has_its_code_behind_it(tag):
    how = spoken(tag).style
    assert numbers.amount(figure(Fraction("899.5"), unit=money("EUR")), how) == (
        f"899{how.decimal}50{how.space}EUR"
    )


@pytest.mark.parametrize("tag", ["fr", "pt"])
def test_nought_and_one_and_a_half_are_singular_and_a_million_is_many(tag):
    plural = spoken(tag).plural
    assert [plural(n) for n in (0, 1, Fraction(3, 2), 2, 10**6, 2 * 10**6, 10**6 + 1)] == (
        [0, 0, 0, 2, 1, 1, 2]
    )


def test_turkish_has_two_forms():
    assert [spoken("tr").plural(n) for n in (0, 1, 2, Fraction(3, 2), 10**6)] == [1, 0, 1, 1, 1]


@pytest.mark.parametrize("tag", EVERY)
def test_every_counted_phrase_has_all_its_forms(tag):
    language = spoken(tag)
    forms = {"en": 2, "fr": 3, "pt": 3, "tr": 2}[tag]
    english = spoken("en")
    for name, text in english.phrases.items():
        if "|" in text:
            assert len(language.phrases[name].split("|")) == forms, name
    for name in english.style.units:
        assert len(language.style.units[name].split("|")) == forms, name


@pytest.mark.parametrize("tag", EVERY)
@given(
    value=st.fractions(min_value=-(10**12), max_value=10**12, max_denominator=10**6),
    decimals=st.integers(0, 6),
)
def test_what_is_printed_is_read_back(tag, value, decimals):
    how = spoken(tag).style
    nearest = read(numbers.rounded(value, decimals), numbers.TERMINAL)
    assert read(numbers.rounded(value, decimals, how), how) == nearest
    assert abs(nearest - value) * 10**decimals * 2 <= 1


@pytest.mark.parametrize("tag", EVERY)
@given(need=st.integers(0, 2**40), apart=st.integers(1, 2**31))
def test_two_sides_of_a_verdict_never_contradict_it(tag, need, apart):
    how = spoken(tag).style
    texts = numbers.pair(figure(need), figure(need + apart), how)
    left, right = (text.split(how.space) for text in texts)
    worth = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
    sides = [read("".join(side[:-1]), how) * worth[side[-1]] for side in (left, right)]
    assert sides[0] < sides[1]


@pytest.mark.parametrize("tag", EVERY)
@given(
    low=st.fractions(0, 10**6, max_denominator=1000), more=st.fractions(0, 10, max_denominator=9)
)
def test_an_interval_says_both_its_ends_and_its_unit_once(tag, low, more):
    how = spoken(tag).style
    told = numbers.amount(figure(low, low + more, HOUR), how)
    assert told.count(f"{how.space}h") == 1
    for end in (low, low + more):
        assert numbers.amount(figure(end, unit=HOUR), how).split(how.space + "h")[0] in told


@pytest.mark.parametrize("tag", OTHERS)
def test_numbers_within_a_told_text_are_of_the_language(tag):
    language = spoken(tag)
    hours = Shown("47.14 h", Fraction("47.14"), Fraction("47.14"), HOUR)
    assert f"47,14{language.style.space}h" in language.told(tell("<= {limit}", limit=hours))
    text = language.told(tell("{n} of them", n=Fraction(1, 4)))
    assert "0,25" in text


def test_a_told_text_is_its_english():
    text = tell("{a} of {b}", a=tell("one"), b=2)
    assert text == "one of 2"
    assert tell_count("{count} run", "{count} runs", 1) == "1 run"
    assert tell_count("{count} run", "{count} runs", 3) == "3 runs"
    assert listed(["x", tell("y")], " and ") == "x and y"
    assert Short(tell("floor: what is resident")) == "floor"
    assert tell("braces {as they are}") == "braces {as they are}"
    assert spoken("en").told(text) is text


def test_turkish_keeps_its_dot():
    assert spoken("tr").sentence("iki") == "İki"
    assert spoken("tr").inside("Isı") == "ısı"
    assert spoken("fr").sentence("écrit") == "Écrit"
    assert spoken("en").inside("GPU") == "GPU"


def test_an_unknown_language_names_those_there_are():
    with pytest.raises(Refused) as refused:
        spoken("xx")
    (said,) = refused.value.diagnostics
    assert said.code == "F602"
    assert "en, fr, pt, tr" in said.hint


def test_a_land_takes_the_words_of_its_language():
    assert [spoken(tag).tag for tag in ("pt-BR", "pt_PT", "FR", "en-GB")] == [
        "pt",
        "pt",
        "fr",
        "en",
    ]


def test_english_loads_neither_babel_nor_a_catalog():
    code = (
        "import sys; from fiche.languages import spoken; spoken('en').told('x'); "
        "print([m for m in ('babel', 'gettext', 'fiche.languages._catalog') if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


@pytest.mark.parametrize("tag", EVERY)
def test_labels_are_cut_before_what_explains_them(tag):
    language = spoken(tag)
    whole = tell("floor: what must be resident together on the most loaded device")
    assert language.told(Short(whole)) == re.split(r"\s*[(:]", language.told(whole))[0]
    assert language.told(Short(whole)) != language.told(whole)
