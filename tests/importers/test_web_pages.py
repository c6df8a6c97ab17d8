"""Saved pages: what programs printed is read in the text of the page, on the lines of the file (1.4)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.messages import CLASS, FIGURES, sentence

from fiche.importers._detect import read
from fiche.importers._web_texts import html_passages, printed_text

DIGEST = "ab" * 32
HEAD = '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">{}</head>\n<body>\n'
MESSAGE = CLASS + sentence()


def marked(text):
    """As a highlighter leaves it: numbers and little words in spans, blanks as entities."""
    text = re.sub(r"(\d+\.\d\d) ", r'<span class="pl-c1">\1</span>&nbsp;', text)
    return re.sub(r"\b(of|is|in|to|by|and)\b", r'<span class="pl-k">\1</span>', text)


def page(body, title=""):
    return (
        HEAD.format(f"<title>{title}</title>" if title else "") + body + "\n</body></html>\n"
    ).encode()


def figures(failure):
    return {name: value.text for name, value in failure.quantities.items()}


@pytest.mark.parametrize(
    "body",
    [
        "<pre class='notranslate'>{}</pre>",
        "<p>I get <code>{}</code></p>",
        "<pre><code>{}\n</code></pre>",
        "<script>var a = 1;</script><div>{}</div>",
    ],
)
@pytest.mark.parametrize(
    "title", ["", "[Bug]: CUDA out of memory. Tried to allocate 1.13 GiB. GPU 3 · Issue"]
)
def test_a_message_between_marks_is_read_on_its_line(body, title):
    reading = read(page("<p>first</p>\n" + body.format(marked(MESSAGE)), title), DIGEST, "a.html")
    (failure,) = reading.failures
    assert (reading.kind, failure.pointer.line) == ("torch_oom", 6)
    assert (figures(failure), failure.device_index, failure.truncated) == (FIGURES, 3, False)
    assert reading.duplicate_messages == bool(title)
    assert any(text.startswith("page_text: ") for text in reading.warnings)


def test_lines_are_those_of_the_file_behind_scripts_and_comments():
    hidden = "<style>\na {}\nb {}\n</style>\n<!-- a\nb -->\n<a\nhref='x'>link</a>\n"
    body = f"{hidden}<pre>Traceback (most recent call last):\n{marked(MESSAGE)}\n</pre>"
    (failure,) = read(page(body), DIGEST, "a.html").failures
    assert failure.pointer.line == page(body).split(b"CUDA")[0].count(b"\n") + 1


def test_the_text_after_a_block_of_output_says_nothing_of_the_program():
    body = f"<pre>{marked(MESSAGE)}</pre><p>I was retrying with a smaller batch.</p>"
    (failure,) = read(page(body), DIGEST, "a.html").failures
    assert failure.recovered is None


def test_documentation_is_set_aside_in_a_page_too():
    body = f"<p>If you see <code>{marked(MESSAGE)}</code>, lower the batch size.</p>"
    reading = read(page(body), DIGEST, "a.html")
    assert reading.failures == ()
    assert len(reading.not_observed) == 1


def test_lines_of_a_server_are_read_in_a_page():
    line = (
        "(Worker_TP0 pid=391) INFO 11-04 07:30:41 [gpu_model_runner.py:2653] Model loading took "
        "<span>30.5902</span> GiB and 19.1 seconds"
    )
    reading = read(page(f"<pre>{line}</pre>"), DIGEST, "a.html")
    (seen,) = reading.observations
    assert (reading.kind, seen.value.text, seen.rank) == ("vllm_log", "30.5902 GiB", "TP0")
    assert seen.pointer.line == 5


def test_a_page_that_keeps_its_text_in_a_script_is_read_in_its_source():
    body = f'<script type="application/json">{{"body": "```\\n{MESSAGE}\\n```"}}</script>'
    (failure,) = read(page(body), DIGEST, "a.html").failures
    assert figures(failure) == FIGURES


def test_a_page_without_output_is_a_document():
    assert read(page("<p>24 GB of memory</p>"), DIGEST, "a.html").kind == "document"


MARKS = [
    "<p>",
    "</p>",
    "<pre>",
    "</pre>",
    "<code>",
    "<td>",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    "<",
    ">",
]
TEXT = st.lists(
    st.sampled_from([*MARKS, "\n", "a", "&#10;", "&lt;", "&amp", "İ", "<title>"]), max_size=40
)


@given(TEXT)
def test_any_page_keeps_its_lines(parts):
    content = "".join(parts).encode()
    told = printed_text(content)
    assert told.count(b"\n") <= content.count(b"\n")
    if not any(mark in content for mark in (b"<!--", b"<script>")):
        assert told.count(b"\n") == content.count(b"\n")


def test_a_letter_that_grows_when_lowered_moves_nothing():
    text = "<!doctype html><p>İİİİ<b>one</b></p><script>no</script><p>two</p>"
    assert [each.text for each in html_passages(text.encode())] == ["İİİİone", "two"]
