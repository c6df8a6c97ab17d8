"""The sizer's script in a real browser: the kernel's traces, exactly, in the report's own print."""

import json
import random
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kernel.graphs import graphs, leaf, leaf_values, numbers
from render.chromium import launched, opened
from render.test_sizer import sized
from report.sized import NAMES, chosen, content, tops, values

from fiche.assets import template_text
from fiche.kernel import trace
from fiche.kernel.figure import Figure, bounds
from fiche.kernel.graph import Graph, written
from fiche.kernel.origin import Stated
from fiche.kernel.unit import BYTE
from fiche.languages import spoken
from fiche.report import numbers as printed

pytestmark = pytest.mark.browser

BATCH = settings(
    max_examples=8,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)
SIGNS = ("decimal", "group", "space", "interval", "open", "unknown")

EVALUATE = """(asked) => asked.map(({nodes, changed, tops}) => {
  const { evaluate, read, write } = ficheSizer;
  const ends = ([low, high]) => [read(low), high === null ? null : read(high)];
  const map = new Map(changed.map(([place, to]) => [place, Array.isArray(to) ? ends(to) : to]));
  try {
    return evaluate(nodes, map, tops).map(([low, high]) => [write(low), high && write(high)]);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return "refused";
  }
})"""


@pytest.fixture(scope="module")
def browser():
    with launched() as started:
        yield started


@pytest.fixture(scope="module")
def numbers_page(browser):
    """An empty page with the arithmetic alone."""
    with opened(browser) as page:
        page.evaluate(
            template_text("sizer_numbers.js").replace("const ficheSizer", "window.ficheSizer")
        )
        yield page


def ends(node):
    low, high = bounds(node)
    return [written(low), None if high is None else written(high)]


def again(top, changed):
    """What the kernel says: bounds, or that it refuses."""
    try:
        return [ends(trace.reevaluate(top, changed))]
    except (ValueError, ZeroDivisionError):
        return "refused"


# --- Any expression ---------------------------------------------------------------------------


@st.composite
def questions(draw):
    """A graph, and other values for some of its leaves."""
    made = draw(graphs())
    names = draw(st.sets(st.sampled_from(sorted(made.leaves))))
    return made, {name: leaf(name, draw(leaf_values())) for name in names}


@BATCH
@given(st.lists(questions(), min_size=25, max_size=30))
def test_random_expressions_give_the_kernels_bounds(numbers_page, asked):
    """Every operation, intervals, open ends and unknowns: the same fractions, or refused by both."""
    batch, told = [], []
    for made, changed in asked:
        graph = Graph()
        top = graph.enter(made.top)
        pairs = [[p, ends(node)] for name, node in changed.items() for p in graph.named(name)]
        batch.append({"nodes": graph.entries, "changed": pairs, "tops": [top]})
        told.append(again(made.top, changed))
    assert numbers_page.evaluate(EVALUATE, batch) == told


# --- The samples ------------------------------------------------------------------------------


def typed(name, draw):
    """Values for some inputs, small and large."""
    entries = content(name)["inputs"]
    some = draw.sample(entries, draw.randint(0, len(entries)))
    return {
        e["id"]: draw.choice(
            (e["least"], draw.randint(1, 9), draw.randint(1, 10**6), draw.randint(1, 10**11))
        )
        for e in some
    }


def formats(name, draw):
    found = {}
    for each in content(name)["formats"]:
        wanted = draw.choice([None, *(option["name"] for option in each["options"])])
        if wanted:
            found[each["key"]] = wanted
    return found


def asked_of(name, case, draw):
    """One question to the script, and what `trace.reevaluate` answers it with."""
    facts, owner = content(name), case["owner"]
    numbers_typed, names = typed(name, draw), formats(name, draw)
    told = values(name, numbers_typed)
    changed = chosen(name, owner, names, told)
    if changed is None:
        return None
    pairs = [
        [place, [str(numbers_typed[e["id"]])] * 2]
        for e in facts["inputs"]
        if e["id"] in numbers_typed
        for place in e["places"]
    ]
    for each in facts["formats"]:
        option = next((o for o in each["options"] if o["name"] == names.get(each["key"])), None)
        for by in option["by"] if option else ():
            pairs += by["pairs"] if by["owner"] == owner else []
    places = [row["place"] for row in case["rows"]]
    question = {"nodes": facts["nodes"], "changed": pairs, "tops": places}
    answers = [again(top, changed) for top in tops(name, owner, case["case"])]
    return question, "refused" if "refused" in answers else [each[0] for each in answers]


@pytest.mark.parametrize("name", NAMES)
def test_samples_give_the_kernels_bounds(numbers_page, name):
    """Items, phases and envelopes of every load, for random numbers and formats at once."""
    draw = random.Random(name)
    cases = content(name)["cases"]
    found = [asked_of(name, case, draw) for _ in range(16) for case in cases]
    batch = [each for each in found if each is not None]
    assert len(batch) >= len(found) / 2
    assert numbers_page.evaluate(EVALUATE, [question for question, _ in batch]) == [
        told for _, told in batch
    ]


# --- Print ------------------------------------------------------------------------------------


@cache
def style(tag):
    return spoken(tag).style


def amounts():
    near = st.builds(lambda unit, step: 2**unit * 10 + step, st.integers(0, 60), st.integers(-9, 9))
    whole = st.integers(0, 2**80) | near.map(abs)
    value = whole | numbers()
    return st.tuples(value, st.none() | st.just(0) | value)


@pytest.mark.parametrize("tag", ["en", "fr", "pt", "tr"])
@BATCH
@given(data=st.lists(amounts(), min_size=50, max_size=60))
def test_amounts_are_printed_as_the_report_prints_them(numbers_page, tag, data):
    """Rounding, grouping, units and open ends, in every language."""
    how = style(tag)
    batch, told = [], []
    for low, more in data:
        high = None if more is None else low + more
        figure = Figure(low=low, high=high, unit=BYTE, origin=Stated(span=None))
        batch.append(ends(figure))
        told.append([printed.amount(figure, how), printed.memory(low, "GiB", how)])
    found = numbers_page.evaluate(
        """([how, batch]) => batch.map(([low, high]) => {
          const { amount, memory, read } = ficheSizer;
          return [amount([read(low), high === null ? null : read(high)], how), memory(read(low), how)];
        })""",
        [{sign: getattr(how, sign) for sign in SIGNS}, batch],
    )
    assert found == told


@BATCH
@given(
    data=st.lists(
        st.tuples(st.integers(-(10**15), 10**15), st.integers(1, 10**6), st.integers(0, 6)),
        min_size=40,
    )
)
def test_rounding_is_to_nearest_and_away_from_zero(numbers_page, data):
    told = [printed.rounded(Fraction(n, d), decimals, printed.PAGE) for n, d, decimals in data]
    found = numbers_page.evaluate(
        """([how, data]) => data.map(([n, d, decimals]) =>
          ficheSizer.rounded(ficheSizer.ratio(BigInt(n), BigInt(d)), decimals, how))""",
        [{sign: getattr(printed.PAGE, sign) for sign in SIGNS}, data],
    )
    assert found == told


# --- The page ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def report(browser):
    """The page of a sample, with nothing changed yet."""
    with opened(browser, sized("serving")) as page:
        yield page


@pytest.fixture
def fresh(report):
    report.get_by_role("button", name="Back to the fiche's values").click()
    return report


def column(page, table, place):
    return page.locator(f"#table-sizer-{table} tbody tr td:nth-of-type({place})").all_inner_texts()


def field(page, name):
    place = next(n for n, e in enumerate(content("serving")["inputs"]) if e["id"] == name)
    return page.locator(f"#sizer-input-{place}")


def test_unchanged_it_says_what_the_fiche_says(fresh):
    """Both columns agree, for items as for cards, and the page says that nothing is changed."""
    assert column(fresh, "items", 1) == column(fresh, "items", 2)
    assert column(fresh, "rooms", 1) == column(fresh, "rooms", 2)
    assert fresh.get_by_role("status").filter(has_text="Nothing is changed").count() == 1


def test_what_is_typed_gives_what_the_kernel_gives(fresh):
    """A number, a format and a margin: every row as `trace.reevaluate` has it, in the report's own print."""
    field(fresh, "limit.prompt_tokens").fill("16 384")
    field(fresh, "margin.longer-prompts").fill("2.5 GiB")
    fresh.select_option("#sizer-storage", "fp8_e4m3")
    told = values("serving", {"limit.prompt_tokens": 16384, "margin.longer-prompts": 5 * 2**29})
    changed = chosen("serving", "", {"storage": "fp8_e4m3"}, told)
    rows = [
        printed.amount(trace.reevaluate(top, changed), printed.PAGE)
        for top in tops("serving", "", "limit")
    ]
    assert column(fresh, "items", 2) == rows
    now = [
        row["now"] for c in content("serving")["cases"] if c["case"] == "limit" for row in c["rows"]
    ]
    assert column(fresh, "items", 1) == now
    status = fresh.locator("#sizer [role=status]").inner_text()
    assert "limit: prompt tokens" in status
    assert "format of the weights" in status
    assert (
        "in the fiche: 5\N{NO-BREAK SPACE}800"
        in field(fresh, "limit.prompt_tokens").locator("xpath=..").inner_text()
    )


def test_a_reset_takes_everything_back(fresh):
    field(fresh, "model.parameters").fill("1")
    fresh.select_option("#sizer-cache", "fp32")
    fresh.get_by_role("button", name="Back to the fiche's values").click()
    assert field(fresh, "model.parameters").input_value() == "8030261248"
    assert fresh.locator("#sizer-cache").input_value() == ""
    test_unchanged_it_says_what_the_fiche_says(fresh)


def test_nothing_else_of_the_page_moves(fresh):
    """It is a what-if: verdicts, figures and the decision stay, to the letter."""

    def others():
        parts = "[...document.querySelectorAll('main > *:not(#sizer)')]"
        return fresh.evaluate(f"() => {parts}.map((e) => e.textContent).join('|')")

    before = others()
    field(fresh, "model.parameters").fill("900000000000")
    assert others() == before
    assert fresh.locator("#sizer b").count() == 0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("model.parameters", "", "Write a value"),
        ("model.parameters", "0", "at least 1"),
        ("model.parameters", "-5", "whole number"),
        ("model.parameters", "1e30", "whole number"),
        ("model.parameters", "9" * 30, "at most 1"),
        ("model.parameters", "seven", "whole number"),
        ("model.parameters", "7.5", "whole number"),
        ("model.parameters", "13,04", "whole number"),
        ("model.parameters", "<b>9</b>", "whole number"),
        ("reserve.workspace", "4", "with its unit"),
        ("reserve.workspace", "4G", "with its unit"),
        ("reserve.workspace", "4 gb", "with its unit"),
        ("reserve.workspace", "-4 GiB", "with its unit"),
        ("reserve.workspace", "1,5 GiB", "with its unit"),
        ("reserve.workspace", "0.3 B", "whole number of bytes"),
        ("reserve.workspace", "99999999 TiB", "at most"),
    ],
)
def test_what_cannot_be_read_leaves_the_results_empty(fresh, name, text, said):
    """One message, at the field; no number that would be wrong, and the fiche's own stay."""
    now = column(fresh, "items", 1)
    field(fresh, name).fill(text)
    assert field(fresh, name).get_attribute("aria-invalid") == "true"
    told = fresh.locator(f"#{field(fresh, name).get_attribute('aria-describedby')}").inner_text()
    assert said in told
    assert fresh.locator("#sizer .wrong").count() == 1
    assert set(column(fresh, "items", 2)) == {""}
    assert set(column(fresh, "rooms", 2)) == {""}
    assert column(fresh, "items", 1) == now
    field(fresh, name).fill("2 GiB" if name.startswith("reserve") else "7")
    assert fresh.locator("#sizer .wrong").count() == 0


@pytest.mark.parametrize(
    "text", ["0 B", "4 GiB", "4GiB", "500 MB", "0.5 GiB", "1 000 MiB", "2147483648 B"]
)
def test_amounts_are_read_as_a_fiche_reads_them(fresh, text):
    field(fresh, "reserve.workspace").fill(text)
    assert fresh.locator("#sizer .wrong").count() == 0
    assert "" not in column(fresh, "items", 2)


def test_a_card_is_compared_in_words_that_judge_nothing(fresh):
    """More parameters than the card can have: how much too much, on what, and no verdict's word."""
    field(fresh, "model.parameters").fill("100000000000")
    told = column(fresh, "rooms", 2)
    assert all(
        text.startswith("would need at least") and "more than there can be" in text for text in told
    )
    assert any("by its label" in text for text in told)


def test_an_unknown_that_is_told_closes_the_sum(browser):
    """The guide's fiche leaves the cache and the working memory open."""
    with opened(browser, sized("guide")) as page:
        places = {e["id"]: n for n, e in enumerate(content("guide")["inputs"])}
        assert column(page, "items", 2)[-1].startswith("at least")
        for name, text in {
            "context_tokens": "8192",
            "resident_sequences": "4",
            "model.layers": "32",
            "model.kv_heads": "8",
            "model.head_dim": "128",
            "workspace": "1 GiB",
        }.items():
            page.locator(f"#sizer-input-{places[name]}").fill(text)
        page.select_option("#sizer-cache", "bf16")
        assert column(page, "items", 2)[0] == "4.00\N{NO-BREAK SPACE}GiB"
        assert column(page, "items", 2)[-1] == "24.04\N{NO-BREAK SPACE}GiB"
        assert "up to 24.04" in column(page, "rooms", 2)[0]


def test_a_format_that_a_candidates_load_has_not_is_said(browser):
    """Every row has an answer or a reason."""
    with opened(browser, sized("throughput")) as page:
        for name in ("fp8_e4m3", "nf4"):
            page.select_option("#sizer-storage", name)
            assert "" not in column(page, "items", 2)
            assert "" not in column(page, "rooms", 2)


# --- For everybody ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "mode",
    [
        {"viewport": {"width": 1280, "height": 900}},
        {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
        {"viewport": {"width": 320, "height": 800}},
        {"viewport": {"width": 1280, "height": 900}, "forced_colors": "active"},
    ],
    ids=["light", "dark", "narrow", "forced"],
)
def test_it_bars_nobody(browser, mode):
    """No finding of axe, with a change and a wrong value on show; nothing wider than the screen."""
    from axe_playwright_python.sync_playwright import Axe

    with opened(browser, sized("serving"), **mode) as page:
        field(page, "model.parameters").fill("9000000000")
        field(page, "model.layers").fill("many")
        run = {
            "runOnly": {
                "type": "tag",
                "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
            }
        }
        found = Axe().run(page, context="#sizer", options=run)
        assert found.response["violations"] == [], json.dumps(
            found.response["violations"], indent=1
        )[:3000]
        assert page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )


def test_every_control_has_a_name_and_room_for_a_finger(fresh):
    """24 CSS pixels at least, a label, and a place in the order of the keyboard."""
    controls = fresh.locator("#sizer :is(input, select, button):visible")
    assert controls.count() > 8
    for place in range(controls.count()):
        control = controls.nth(place)
        box = control.bounding_box()
        assert box["width"] >= 24
        assert box["height"] >= 24
        assert control.evaluate("(e) => e.tagName === 'BUTTON' || e.labels.length === 1")
        assert control.evaluate("(e) => e.tabIndex === 0")


def test_the_keyboard_is_enough(fresh):
    """From field to field, a value typed, and a format chosen, without a mouse."""
    field(fresh, "limit.prompt_tokens").focus()
    fresh.keyboard.press("Control+A")
    fresh.keyboard.type("9000")
    fresh.keyboard.press("Tab")
    assert fresh.evaluate("document.activeElement.id") == field(
        fresh, "limit.new_tokens"
    ).get_attribute("id")
    assert fresh.locator("#sizer .moved").count() > 0
    fresh.locator("#sizer-storage").focus()
    fresh.keyboard.press("ArrowDown")
    assert fresh.locator("#sizer-storage").input_value() != ""


def test_it_asks_for_nothing_and_breaks_no_policy(browser):
    with opened(browser, sized("committee")) as page:
        assert page.requests == []
        assert page.complaints == []
