"""How a model on a hub may be named, and what is no such name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.hub.name import HubName, hub_name
from fiche.kernel.diagnostic import Refused

COMMIT = "0e9e39f249a16976918f6564b8830bc894c89659"


@pytest.mark.parametrize(
    ("text", "model", "revision", "file"),
    [
        ("meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B", "", ""),
        ("org/model@v1.0", "org/model", "v1.0", ""),
        (f"org/model@{COMMIT}", "org/model", COMMIT, ""),
        ("org/model@refs/pr/3", "org/model", "refs/pr/3", ""),
        ("org/model:model-Q4_K_M.gguf", "org/model", "", "model-Q4_K_M.gguf"),
        (
            "org/model@main:Q8/a-00001-of-00002.gguf",
            "org/model",
            "main",
            "Q8/a-00001-of-00002.gguf",
        ),
        ("https://huggingface.co/org/model", "org/model", "", ""),
        ("https://huggingface.co/org/model/", "org/model", "", ""),
        (f"https://huggingface.co/org/model/tree/{COMMIT}", "org/model", COMMIT, ""),
        ("https://hf.co/org/model/tree/refs%2Fpr%2F1?x=1#top", "org/model", "refs/pr/1", ""),
        ("https://huggingface.co/o/m/blob/main/q/a.gguf", "o/m", "main", "q/a.gguf"),
        ("https://huggingface.co/o/m/resolve/main/a.gguf?download=true", "o/m", "main", "a.gguf"),
    ],
)
def test_a_model_is_named(text, model, revision, file):
    assert hub_name(text) == HubName(model=model, revision=revision, file=file)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gpt2",
        "./org/model",
        "../model",
        "/org/model",
        "org/model/more",
        "org/model@",
        "org/model:",
        "org/ model",
        "org/model:../../etc/passwd",
        "org/model:/etc/passwd",
        "org/model@../../x",
        "org/..",
        "org/model:a\\b.gguf",
        "org/model@a\x1b[31m",
        f"org/{'m' * 100}",
        "https://huggingface.co/",
        "https://huggingface.co/gpt2",
        "https://[x/org/model",
        "https://huggingface.co/datasets/org/model",
        "https://huggingface.co/org/model/tree/main/folder",
        "https://huggingface.co/org/model/blob/main/%2e%2e/x.gguf",
        "ftp://huggingface.co/org/model",
    ],
)
def test_what_names_no_model_is_refused(text):
    """Law 7: nothing that leaves its folder becomes an address or a place in the cache."""
    with pytest.raises(Refused) as caught:
        hub_name(text)
    assert [(d.code, bool(d.hint)) for d in caught.value.diagnostics] == [("F831", True)]


WORDS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True)


@given(WORDS, WORDS, st.one_of(st.just(""), WORDS), st.one_of(st.just(""), WORDS))
def test_a_name_is_read_back_from_its_own_text(org, model, revision, file):
    name = HubName(model=f"{org}/{model}", revision=revision, file=file)
    assert hub_name(str(name)) == name


def test_only_a_whole_commit_pins():
    assert hub_name(f"o/m@{COMMIT}").pinned
    assert not hub_name(f"o/m@{COMMIT[:12]}").pinned
    assert not hub_name("o/m").pinned
