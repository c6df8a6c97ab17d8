"""The page in a browser: clean under axe in four modes, no request, no overflow; what its scripts do (E5)."""

import json
import shutil
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from render import decisions
from render.pages import decision, page

from fiche.kernel.figure import Figure
from fiche.kernel.origin import Stated
from fiche.kernel.record import replace
from fiche.kernel.unit import money
from fiche.render.html import html_bytes
from fiche.render.json import decision_bytes
from fiche.render.visible import ACTIVE_RANGES, visible
from fiche.report.view import view

pytestmark = pytest.mark.browser

MODES = {
    "light": {"color_scheme": "light", "viewport": {"width": 1400, "height": 900}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1100, "height": 900}},
    "narrow": {"viewport": {"width": 320, "height": 800}},
    "forced": {"forced_colors": "active", "viewport": {"width": 1100, "height": 900}},
}
RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
MANY = 300


@pytest.fixture(scope="module")
def chromium():
    """One browser for the module, which cannot leave this machine."""
    api = pytest.importorskip("playwright.sync_api")
    found = filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
    with api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=next(found), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium, tmp_path):
    """Opens bytes from disk; what a page asks for or complains of fails the test at its end."""
    contexts, told = [], []

    def one(content, fragment="", **how):
        path = tmp_path / f"report-{len(contexts)}.html"
        path.write_bytes(content)
        context = chromium.new_context(**{**MODES["light"], **how})
        contexts.append(context)
        tab = context.new_page()
        address = path.as_uri()
        tab.on("request", lambda r: r.url.startswith((address, "data:")) or told.append(r.url))
        tab.on("console", lambda message: told.append(message.text))
        tab.on("pageerror", lambda error: told.append(str(error)))
        tab.goto(address + fragment)
        return tab

    yield one
    for context in contexts:
        context.close()
    assert told == []


def axe():
    import axe_playwright_python

    return next(Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text()


def violations(tab):
    tab.evaluate(axe())
    told = tab.evaluate(
        "rules => axe.run({runOnly: rules, resultTypes: ['violations']})"
        ".then(r => r.violations.flatMap(v => v.nodes.map(n => [v.id, n.html.slice(0, 200)])))",
        RULES,
    )
    return [tuple(each) for each in told]


def overflow(tab):
    """By how many pixels the page is wider than its window."""
    return tab.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


# --- What everybody sees ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "mode"), [*(("rich", mode) for mode in MODES), ("hostile", "narrow")]
)
def test_axe_finds_nothing_and_nothing_overflows(opened, name, mode):
    tab = opened(page(name), **MODES[mode])
    assert overflow(tab) <= 0
    assert violations(tab) == []


def test_the_panel_is_clean_too(opened):
    for mode in ("dark", "narrow"):
        tab = opened(page("rich"), "#figure-limit.envelope", **MODES[mode])
        assert tab.locator("#panel").is_visible()
        assert violations(tab) == []
        assert overflow(tab) <= 0


@pytest.mark.parametrize("width", [320, 1400])
@pytest.mark.parametrize("scripts", [True, False])
def test_hostile_text_neither_acts_nor_overflows(opened, width, scripts):
    """With scripts and without: no dialog, no request, no complaint, and every section is laid out."""
    viewport = {"width": width, "height": 800}
    tab = opened(page("hostile"), java_script_enabled=scripts, viewport=viewport)
    box = tab.locator("html").bounding_box()
    assert box["width"] <= width
    assert tab.locator("main img, main iframe, main script").count() == 0
    if scripts:
        assert overflow(tab) <= 0


FOREIGN = (
    " \u05e9\u05dc\u05d5\u05dd \u0627\u0644\u0639\u0631\u0628\u064a\u0629 \ufdfd "  # from right to left
    "\U0001f9ee \U0001f469\u200d\U0001f680 a\u0335\u0301\u0327 \u2066\u202b "
    "]]> {% raw %} ${x} `y` <svg onload=alert(1)><style>*{display:none}</style></style>"
)
LONG = "W" * 10_000


def long_everywhere():
    """Ten thousand letters without a blank, where a fiche and its pieces have words."""
    made = decision("rich")
    conditions = tuple(replace(c, text=LONG, supplier=LONG) for c in made.outcomes[1].conditions)
    outcome = replace(made.outcomes[1], conditions=conditions)
    fiche = replace(made.fiche, title=LONG, author=LONG, illustrative=LONG)
    return replace(made, fiche=fiche, outcomes=(made.outcomes[0], outcome, *made.outcomes[2:]))


@pytest.mark.parametrize("width", [320, 1100])
@pytest.mark.parametrize("what", ["foreign", "long"])
def test_foreign_letters_and_endless_words_stay_inside(opened, what, width):
    made = decisions.hostile(FOREIGN) if what == "foreign" else long_everywhere()
    tab = opened(html_bytes(view(made), made, ()), viewport={"width": width, "height": 800})
    assert overflow(tab) <= 0
    assert tab.locator("main h2").first.is_visible()
    assert tab.locator("main svg svg, main style, main img").count() == 0
    tab.locator("main data").first.click()
    assert tab.locator("#panel").evaluate("p => p.scrollWidth - p.clientWidth") <= 0


def test_without_scripts_all_is_there(opened):
    """The same sections and tables, every file to save, and no control that does nothing."""
    bare = opened(page("rich"), java_script_enabled=False)
    full = opened(page("rich"))
    for what in ("main > section", "main table", "main data", "a.save"):
        assert bare.locator(what).count() == full.locator(what).count() > 0
    for control in ("button", "select", "#panel", ".opens"):
        assert bare.locator(control).count() == 0
    with bare.expect_download() as saving:
        bare.locator("a.save[download='decision.json']").click()
    assert Path(saving.value.path()).read_bytes() == decision_bytes(decision("rich"))


def test_the_theme_is_chosen_without_scripts_and_kept_nowhere(opened):
    tab = opened(page("rich"), java_script_enabled=False, color_scheme="dark")
    corner = {"x": 0, "y": 500, "width": 4, "height": 4}
    dark = tab.screenshot(clip=corner)
    tab.locator("#theme-light").check()
    light = tab.screenshot(clip=corner)
    tab.locator("#theme-dark").check()
    assert dark != light
    assert tab.screenshot(clip=corner) == dark


@pytest.mark.parametrize("width", [320, 768])
def test_what_can_be_pressed_is_large_enough(opened, width):
    """24 CSS pixels both ways for a control; a number is as wide as it is: axe minds its neighbours."""
    tab = opened(page("rich"), viewport={"width": width, "height": 800})
    small = tab.evaluate(
        """() => Array.from(document.querySelectorAll(
            ".opens, button, select, .theme label, nav a, .piece, .save"))
          .filter((each) => each.checkVisibility())
          .map((each) => [each.getClientRects()[0], each])
          .filter(([box, each]) => box.height < 23.9 || (box.width < 24 && !each.matches(".opens")))
          .map(([, each]) => each.outerHTML.slice(0, 90))"""
    )
    assert small == []


def test_a_browser_prints_what_was_folded_and_no_control(opened):
    tab = opened(page("rich"))
    tab.locator(".filter input[type=search]").fill("nothing is like this")
    tab.emulate_media(media="print")
    assert not tab.locator(".filter").is_visible()
    assert not tab.locator(".theme").is_visible()
    assert tab.locator("#table-candidates tr[data-candidate][hidden]").count() > 0
    rows = tab.locator("#table-candidates tr[data-candidate]")
    heights = rows.evaluate_all("rows => rows.map((row) => getComputedStyle(row).display)")
    assert set(heights) == {"table-row"}


# --- Opening a number ---------------------------------------------------------------------------


def test_a_number_opens_down_to_the_line_of_its_file(opened):
    """By key, from a sum to its operands; the address follows, and "back" goes back."""
    tab = opened(page("rich"))
    tab.locator("main data[value='limit.envelope']").first.focus()
    tab.keyboard.press("Enter")
    panel = tab.locator("#panel")
    assert tab.evaluate("location.hash") == "#figure-limit.envelope"
    assert "20 892 360 704 B" in panel.inner_text().replace("\u00a0", " ")
    formula = panel.locator("dd code").first
    assert formula.inner_text() == "weights + limit.kv_cache + reserve.cuda_context"
    formula.get_by_text("reserve.cuda_context").click()
    told = panel.inner_text().replace("\u00a0", " ")
    assert "536 870 912 B" in told
    assert "seen on the current workstation" in told
    assert "chat.yaml:26:9" in told
    tab.go_back()
    assert "20 892 360 704 B" in panel.inner_text().replace("\u00a0", " ")
    tab.keyboard.press("Escape")
    tab.wait_for_function("location.hash === ''")
    assert tab.evaluate("document.activeElement.value") == "limit.envelope"


def test_every_number_of_the_page_opens(opened):
    tab = opened(page("rich"))
    told = tab.evaluate(
        """() => Array.from(new Set(Array.from(document.querySelectorAll("main data"), (d) => d.value)))
          .map((id) => {
            location.hash = "";
            document.querySelector(`main data[value="${CSS.escape(id)}"]`).click();
            return id;
          })"""
    )
    unknown = tab.evaluate(
        """async (ids) => {
          const lost = [];
          for (const id of ids) {
            location.hash = "#figure-" + encodeURIComponent(id);
            await new Promise((done) => setTimeout(done, 0));
            if (document.querySelector("#panel .exact") === null) lost.push(id);
          }
          return lost;
        }""",
        told,
    )
    assert len(told) > 50
    assert unknown == []


FILES = {
    "evidence/lines.log": "first\nsecond 20.5 GiB here\nthird\n",
    "evidence/one.json": '{"a": [1, {"b/c": {"d~": "x, ]}\\" y"}}], "peak": {"bytes": 21914753536}}',
    "evidence/rows.jsonl": '{"n": 1}\n{"n": 2, "m": {"k": 7}}\n',
}


@pytest.mark.parametrize(
    ("file", "pointer", "expected"),
    [
        ("evidence/one.json", "/peak/bytes", "21914753536"),
        ("evidence/one.json", "/a/1/b~1c/d~0", '"x, ]}\\" y"'),
        ("evidence/one.json", "/a/0", "1"),
        ("evidence/one.json", "/a/7", None),
        ("evidence/one.json", "/peak/none", None),
        ("evidence/one.json", "", FILES["evidence/one.json"]),
    ],
)
def test_a_json_pointer_leads_to_its_characters(opened, file, pointer, expected):
    tab = opened(page("bare"))
    found = tab.evaluate("([s, p]) => Lines.place(s, p)", [FILES[file], pointer])
    assert (FILES[file][found[0] : found[1]] if found else None) == expected


def test_the_line_that_a_number_was_read_from_is_marked(opened):
    """Of a piece by its line; of the fiche by line and column."""
    tab = opened(page("rich"), "#figure-run-6000ada/whole-loop.process_device_used.cuda0")
    panel = tab.locator("#panel")
    assert "process_device_used" in panel.inner_text()
    assert panel.locator("a.save").count() == 1
    assert panel.locator("code", has_text="fiche explain chat.yaml").count() == 1


def test_a_verdict_opens_whole(opened):
    tab = opened(page("rich"))
    rows = tab.locator("tr[data-candidate][data-requirement] b.opens")
    first = rows.first
    first.click()
    told = tab.locator("#panel").inner_text()
    document = json.loads(decision_bytes(decision("rich")))
    found = [f for f in document["findings"] if told.startswith(f["requirement"])]
    assert found
    assert tab.locator("#panel .finding").count() >= 1


def test_hostile_names_open_and_stay_text(opened):
    tab = opened(page("hostile"))
    numbers = tab.locator("main data")
    for place in range(0, numbers.count(), max(numbers.count() // 8, 1)):
        numbers.nth(place).evaluate("each => each.click()")
        tab.wait_for_timeout(20)
        panel = tab.locator("#panel")
        assert panel.locator("img, script, iframe, svg").count() == 0
        assert panel.evaluate("p => p.scrollWidth - p.clientWidth") <= 0
        tab.keyboard.press("Escape")


def test_what_acts_on_a_screen_is_written_out_as_on_the_page(opened):
    tab = opened(page("bare"))
    ends = [chr(code) for pair in ACTIVE_RANGES for code in pair if not 0xD800 <= code <= 0xDFFF]
    around = [
        chr(b + 1) for _, b in ACTIVE_RANGES if b < 0x10FFFF and not 0xD800 <= b + 1 <= 0xDFFF
    ]
    for text in (*ends, *around, "a\t\nb", "\u202eevil\u202c <b>&"):
        assert tab.evaluate("text => Page.visible(text)", text) == visible(text)


# --- Many candidates ----------------------------------------------------------------------------


def crowd(many):
    """A decision of many candidates: costs that round alike, every fifth unknown."""
    made = decision("rich")
    outcomes = []
    for place in range(many):
        like = made.outcomes[place % len(made.outcomes)]
        who = replace(like.candidate, id=f"{like.candidate.id}-{place:03d}")
        findings = tuple(replace(found, candidate=who.id) for found in like.findings)
        told = {"candidate": who, "findings": findings, "rank": None, "tied_with": ()}
        outcomes.append(replace(like, **told, bill=None, cost=cost(who.id, place)))
    listed = tuple(found for each in outcomes for found in each.findings)
    fiche = replace(made.fiche, choice=None, candidates=tuple(o.candidate for o in outcomes))
    return replace(
        made,
        fiche=fiche,
        outcomes=tuple(outcomes),
        findings=listed,
        conditional_choice=False,
        choosing=None,
        second_readings=(),
    )


def cost(name, place):
    """47 dollars and less than a tenth of a cent, in no order."""
    if place % 5 == 4:
        return None
    value = 47 + Fraction(place * 7919 % 1000, 1_000_000)
    origin = Stated(span=None)
    return Figure(low=value, high=value, unit=money("USD"), origin=origin, id=f"{name}.cost")


@pytest.fixture(scope="module")
def crowded_page():
    made = crowd(MANY)
    return html_bytes(view(made), made, ()), json.loads(decision_bytes(made))


def test_hundreds_of_candidates_are_filtered_and_counted(opened, crowded_page):
    content, document = crowded_page
    tab = opened(content)
    totals = Counter(each["status"] for each in document["candidates"])
    rows = tab.locator("#table-candidates tr[data-candidate]")
    assert rows.count() == MANY
    assert f"{MANY} of {MANY} shown" in tab.locator(".counts").inner_text()
    tab.locator(".filter select").first.select_option("excluded")
    assert seen(tab) == totals["excluded"]
    told = tab.locator(".counts").inner_text()
    assert f"{totals['excluded']} of {MANY} shown" in told
    assert f"Excluded: {totals['excluded']} of {totals['excluded']}" in told
    assert f"Retained: 0 of {totals['retained']}" in told
    tab.locator(".filter input").fill("-003")
    assert seen(tab) == sum(
        "-003" in each["id"] and each["status"] == "excluded" for each in document["candidates"]
    )
    tab.locator(".filter button").click()
    assert seen(tab) == MANY


def seen(tab):
    rows = tab.locator("#table-candidates tr[data-candidate]")
    return rows.evaluate_all("rows => rows.filter((row) => row.checkVisibility()).length")


def test_order_is_of_exact_values_and_the_unknown_are_last(opened, crowded_page):
    content, document = crowded_page
    tab = opened(content)
    figures = {each["id"]: each for each in document["figures"]}
    told = {each["id"]: each for each in document["candidates"]}
    tab.locator(".filter select").nth(1).select_option("by_cost")
    groups = tab.locator("#table-candidates tbody").evaluate_all(
        """bodies => bodies.map((body) => Array.from(
          body.querySelectorAll("tr[data-candidate]"), (row) => row.dataset.candidate))"""
    )
    last = 0
    for group in filter(None, groups):
        costs = [
            figures[told[name]["cost"]]["value"] if told[name]["cost"] else None for name in group
        ]
        known = [Decimal(cost) for cost in costs if cost is not None]
        assert known == sorted(known)
        assert costs[len(known) :] == [None] * (len(costs) - len(known))
        last += len(costs) - len(known)
    assert last > 0
    assert f"last: {last}." in tab.locator(".counts").inner_text()
