"""What only a screen can use is off the page before it is laid out; nothing that paper shows is."""

import pytest
import weasyprint
from render.pages import page

from fiche.render._paper import pared, printable
from fiche.render.html import FONTS


def parsed(body, root="class='short'", *, annex=False, head=""):
    html = weasyprint.HTML(string=f"<html {root}><head>{head}</head><body>{body}</body></html>")
    pared(html.etree_element, annex=annex)
    return html.etree_element


def words(root):
    return " ".join("".join(root.find("body").itertext()).split())


def test_scripts_and_files_to_save_are_gone():
    slim = printable(page("rich"))
    assert "<script" not in slim
    assert "data:application" not in slim
    assert slim.count("font/woff2") == len(FONTS)


@pytest.mark.parametrize(
    "screen",
    [
        "<nav>x</nav>",
        "<div class='a screen-only'>x</div>",
        "<a class='save' href='#'>x</a>",
        "<a class='skip' href='#answer'>x</a>",
        "<button>x</button>",
        "<form><input><select><option>x</select></form>",
        "<dialog>x</dialog>",
        "<template>x</template>",
    ],
)
def test_what_is_for_a_screen_leaves_the_words_around_it(screen):
    assert words(parsed(f"<p>one {screen} two</p>{screen} three")) == "one two three"
    assert words(parsed(f"{screen}{screen} one {screen}{screen} two")) == "one two"


def test_the_annex_is_there_where_it_is_asked_for():
    body = "<p>brief</p><section class='annex' id='x'>annex</section>"
    assert words(parsed(body)) == "brief"
    assert words(parsed(body, annex=True)) == "briefannex"
    assert words(parsed(body, root="class='whole'")) == "briefannex"
    assert parsed(body, root="class='short draft'", annex=True).get("class") == "whole draft"


def test_an_annex_that_is_not_wanted_is_not_even_parsed():
    inner = "<section class='callout'>x</section>"
    page = (
        '<p>a</p><section id="s" class="annex">'
        f'{inner}<section>y</section></section><section class="brief">{inner}</section>'
        '<section class="annex part">z</section>b'
    )
    short = f'<p>a</p><section class="brief">{inner}</section>b'
    assert printable(page.encode(), annex=False) == short
    assert printable(page.encode()) == page
    broken = '<section class="annex"><p>never closed'
    assert printable(broken.encode(), annex=False) == broken


def test_a_link_leads_somewhere_or_is_plain_text():
    body = "<a href='#here'>a</a><a href='#annexed'>b</a><a href='https://example.org'>c</a><p id='here'></p>"
    root = parsed(f"{body}<section class='annex'><p id='annexed'></p></section>")
    assert [(a.get("href"), a.text) for a in root.iter("a")] == [("#here", "a")]
    assert words(root) == "abc"


def test_rules_for_screens_are_not_read():
    """Their conditions are unknown to a renderer for paper, which would complain of each."""
    css = "p{color:red}@media screen and (prefers-color-scheme: dark){p{x:y}@media x{a{}}}b{c:d}@media screen{"
    head = (
        f"<style>{css}</style><style media='screen'>i{{}}</style><style media='print'>u{{}}</style>"
    )
    sheets = [s.text for s in parsed("", head=head).iter("style")]
    assert sheets == ["p{color:red}b{c:d}", "u{}"]


def test_what_is_too_long_for_a_word_gets_blanks():
    """Finding line breaks in ten thousand letters takes a renderer minutes; a digest is left whole."""
    told = words(parsed(f"<p>{'W' * 600}</p><b>{'a' * 199}</b> {'b' * 64}"))
    assert told.replace(" ", "") == "W" * 600 + "a" * 199 + "b" * 64
    assert max(len(word) for word in told.split()) <= 12 + 199
    assert told.endswith(f"{'a' * 199} {'b' * 64}")


def test_an_endless_word_is_cut_and_says_how_much_of_it():
    told = words(parsed(f"<p>{'W' * 10_000} and</p>", root="data-cut='… ({count} more)'"))
    assert told.count("W") == 600
    assert told.endswith("… (9400 more) and")


def test_letters_of_a_picture_are_ours():
    root = parsed("<svg><text>1</text></svg><svg font-family='Own'></svg>")
    families = [s.get("font-family") for s in root.iter("{http://www.w3.org/2000/svg}svg")]
    assert families == ["Fiche Sans, Fiche Sans Further", "Own"]
