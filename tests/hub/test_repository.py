"""What is asked of a hub and of the cache, and each way in which that may fail."""

import pytest
from hub.server import COMMIT, TOKEN, Hub, start, stop
from huggingface_hub import constants

from fiche.hub import _library, _remote_file, _wire
from fiche.hub._repository import cached_repository, listed_repository
from fiche.hub.name import hub_name
from fiche.kernel.diagnostic import Refused

WEIGHTS = bytes(range(256)) * 4096  # 1 MiB whose every place is known


def with_model(hub, **files):
    named = {name.replace("__", "."): content for name, content in files.items()}
    hub.models["org/model"] = {"main": named, COMMIT: named}
    return named


def asked(hub):
    """Paths about the model; the library itself may ask for something else, once a day."""
    return [path for path, _ in hub.requests if "org/model" in path]


def refusal(ask, code):
    with pytest.raises(Refused) as caught:
        ask()
    (found,) = caught.value.diagnostics
    assert (found.code, bool(found.hint), found.address) == (code, True, None), found
    assert "\n" not in found.message
    return found


def repository(text="org/model"):
    return listed_repository(hub_name(text))


def test_a_branch_becomes_a_commit_and_files_their_lengths(hub):
    with_model(hub, config__json=b"{}", model__safetensors=WEIGHTS)
    found = repository()
    assert found.commit == COMMIT
    assert dict(found.lengths) == {"config.json": 2, "model.safetensors": len(WEIGHTS)}
    assert found.whole("config.json", 100) == b"{}"
    assert asked(hub) == [
        "/api/models/org/model",
        f"/org/model/resolve/{COMMIT}/config.json",
    ]


def test_parts_are_the_bytes_of_the_file_and_no_more_is_sent(hub):
    with_model(hub, model__safetensors=WEIGHTS)
    source = repository().reading("model.safetensors")
    assert source.length() == len(WEIGHTS)
    for first, count in ((0, 8), (8, 1000), (70_000, 5), (100, 70_000), (len(WEIGHTS) - 3, 50)):
        assert source.part(first, count) == WEIGHTS[first : first + count]
    assert source.part(len(WEIGHTS), 4) == b""
    assert hub.sent < len(WEIGHTS)
    ranges = [headers["Range"] for path, headers in hub.requests if "resolve" in path]
    assert ranges[0] == f"bytes=0-{_remote_file.AHEAD - 1}"
    assert all(
        headers["Accept-Encoding"] == "identity"
        for path, headers in hub.requests
        if "resolve" in path
    )


def test_reading_on_asks_only_for_what_is_missing(hub):
    """A GGUF vocabulary is read step by step: no byte twice."""
    with_model(hub, model__gguf=WEIGHTS)
    source = repository().reading("model.gguf")
    read = b"".join(source.part(start, 1000) for start in range(0, 500_000, 1000))
    assert read == WEIGHTS[:500_000]
    assert hub.sent < len(WEIGHTS) + 10_000
    assert len(hub.requests) < 8


def test_a_length_that_the_hub_does_not_say_is_asked(hub):
    with_model(hub, model__safetensors=WEIGHTS)
    hub.told = (
        b'{"id": "org/model", "sha": "%s", "siblings": [{"rfilename": "model.safetensors"}]}'
        % (COMMIT.encode())
    )
    assert repository().reading("model.safetensors").length() == len(WEIGHTS)


def test_another_host_answers_and_never_sees_the_token(hub, monkeypatch):
    """Weights lie on a content network: the hub redirects there."""
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    with_model(hub, model__safetensors=WEIGHTS)
    other = Hub(models=hub.models, redirect="")
    server = start(other)
    try:
        hub.redirect = other.address
        source = repository().reading("model.safetensors")
        assert source.part(10, 20) == WEIGHTS[10:30]
        hub.redirect = ""
    finally:
        stop(server)
    assert [headers.get("Authorization") for _, headers in other.requests] == [None]
    seen = {
        headers.get("authorization") or headers.get("Authorization")
        for path, headers in hub.requests
        if "org/model" in path
    }
    assert seen == {f"Bearer {TOKEN}"}


def test_a_token_in_a_file_is_used_too(hub, tmp_path):
    (tmp_path / "token").write_text(TOKEN)
    with_model(hub, config__json=b"{}")
    hub.private.add("org/model")
    assert repository().commit == COMMIT


def test_a_private_or_missing_model(hub):
    assert "no such model" in refusal(repository, "F832").message
    with_model(hub, config__json=b"{}")
    hub.private.add("org/model")
    assert "HF_TOKEN" in refusal(repository, "F832").hint


def test_a_gated_model_says_what_to_do(hub, monkeypatch):
    with_model(hub, config__json=b"{}")
    hub.gated.add("org/model")
    found = refusal(lambda: repository().whole("config.json", 100), "F835")
    assert "(401)" in found.message
    monkeypatch.setenv("HF_TOKEN", "hf_of_somebody_else")
    found = refusal(lambda: repository().whole("config.json", 100), "F835")
    assert "(403)" in found.message
    assert "accept its conditions" in found.hint


def test_no_such_revision_and_no_such_file(hub):
    with_model(hub, config__json=b"{}")
    assert "'v9'" in refusal(lambda: repository("org/model@v9"), "F833").message
    refusal(lambda: repository().whole("other.json", 100), "F834")


@pytest.mark.parametrize(
    ("status", "code"), [(401, "F835"), (403, "F835"), (404, "F834"), (410, "F837"), (429, "F836")]
)
def test_an_answer_that_will_not_change_is_asked_once(hub, status, code):
    with_model(hub, model__safetensors=WEIGHTS)
    found = repository()
    hub.statuses["resolve"] = [status] * 9
    refusal(lambda: found.reading("model.safetensors").part(0, 8), code)
    assert len(hub.statuses["resolve"]) == 8


def test_how_long_to_wait_is_said_where_the_hub_says_it(hub):
    hub.statuses["api"] = [429]
    assert refusal(repository, "F836").hint == "wait 37 seconds, then ask again"


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_failure_of_the_hub_is_asked_again_and_then_told(hub, status):
    with_model(hub, config__json=b"{}", model__safetensors=WEIGHTS)
    hub.statuses["api"] = [status]
    found = repository()
    hub.statuses["resolve"] = [status, status]
    assert found.whole("config.json", 10) == b"{}"
    hub.statuses["resolve"] = [status] * 3
    told = refusal(lambda: found.reading("model.safetensors").part(0, 8), "F837")
    assert f"({status})" in told.message


def test_a_server_without_ranges_is_not_read(hub):
    """Never gigabytes: what the server has sent by then is what its socket took."""
    with_model(hub, model__safetensors=WEIGHTS * 64)
    found = repository()
    hub.ranges = False
    refusal(lambda: found.reading("model.safetensors").part(0, 8), "F840")
    assert hub.sent < len(WEIGHTS) * 64


def test_an_answer_that_is_cut_short(hub):
    with_model(hub, config__json=b"{}" * 50, model__safetensors=WEIGHTS)
    found = repository()
    hub.cut = True
    told = refusal(lambda: found.reading("model.safetensors").part(0, 8), "F841")
    assert "cut short" in told.message
    told = refusal(lambda: found.whole("config.json", 1000), "F841")
    assert "cut short" in told.message


def test_another_range_than_asked_is_refused(hub):
    with_model(hub, model__safetensors=WEIGHTS)
    found = repository()
    hub.wrong_range = True
    refusal(lambda: found.reading("model.safetensors").part(0, 8), "F841")


@pytest.mark.parametrize(
    "told",
    [
        b"<html>sign in</html>",
        b"[]",
        b"{}",
        b'{"id": "org/model", "sha": "../../etc", "siblings": []}',
        b'{"id": "org/model", "sha": null, "siblings": []}',
        b'{"id": "org/model", "sha": "0123456789", "siblings": [{}]}',
    ],
)
def test_an_answer_of_no_hub_is_refused(hub, told):
    with_model(hub, config__json=b"{}")
    hub.told = told
    refusal(repository, "F841")


def test_names_that_leave_the_model_are_left_out(hub):
    """Law 7: the list of files comes from a stranger."""
    with_model(hub, config__json=b"{}")
    hub.models["org/model"]["main"] = {
        "../../x.json": b"",
        "/etc/passwd": b"",
        "a\\b": b"",
        "c": b"",
    }
    assert repository().names == ("c",)


def test_a_file_longer_than_any_such_file(hub):
    with_model(hub, config__json=b"x" * 1000, model__gguf=WEIGHTS)
    refusal(lambda: repository().whole("config.json", 999), "F845")


def test_a_header_without_end_is_given_up(hub, monkeypatch):
    monkeypatch.setattr(_remote_file, "MOST_RECEIVED", 200_000)
    with_model(hub, model__gguf=WEIGHTS)
    refusal(lambda: repository().reading("model.gguf").part(0, 500_000), "F845")


def test_a_hub_that_does_not_answer(hub, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_DOWNLOAD_TIMEOUT", 0.2)
    with_model(hub, config__json=b"{}")
    hub.silent = True
    assert "HF_HUB_DOWNLOAD_TIMEOUT" in refusal(repository, "F839").hint


def test_an_answer_that_drips(hub, monkeypatch):
    """Each byte in time, and never all of them."""
    monkeypatch.setattr(_wire, "SLOWEST", -1)
    with_model(hub, model__safetensors=WEIGHTS)
    refusal(lambda: repository().reading("model.safetensors").part(0, 200_000), "F839")


def test_no_network(hub, monkeypatch):
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    assert "network" in refusal(repository, "F838").hint


def test_without_the_library(hub, monkeypatch):
    """The extra is optional: one clear line."""
    import sys

    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert "pip install 'fiche[models]'" in refusal(_library.library, "F830").hint


def cache(tmp_path, **files):
    """A revision as the hub's library keeps it."""
    root = tmp_path / "cache" / "models--org--model"
    (root / "refs").mkdir(parents=True)
    (root / "refs" / "main").write_text(COMMIT)
    for name, content in files.items():
        path = root / "snapshots" / COMMIT / name.replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@pytest.mark.parametrize("text", ["org/model", f"org/model@{COMMIT}"])
def test_a_cached_revision_is_read_without_network(hub, tmp_path, text):
    cache(tmp_path, config__json=b"{}", model__safetensors=WEIGHTS)
    found = cached_repository(hub_name(text))
    assert (found.commit, found.cached) == (COMMIT, True)
    assert found.names == ("config.json", "model.safetensors")
    assert found.whole("config.json", 10) == b"{}"
    with found.reading("model.safetensors") as source:
        assert source.part(1000, 3) == WEIGHTS[1000:1003]
    assert asked(hub) == []


def test_a_cached_file_of_a_listed_revision_is_not_asked_for(hub, tmp_path):
    cache(tmp_path, config__json=b'{"of": "the cache"}')
    with_model(hub, config__json=b'{"of": "the cache"}', model__safetensors=WEIGHTS)
    found = repository()
    assert found.whole("config.json", 100) == b'{"of": "the cache"}'
    assert asked(hub) == ["/api/models/org/model"]


def test_another_revision_is_not_in_the_cache(hub, tmp_path):
    cache(tmp_path, config__json=b"{}")
    assert cached_repository(hub_name("org/model@v1")) is None
    assert cached_repository(hub_name("org/other")) is None


def test_offline_asks_nothing(hub, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with_model(hub, config__json=b"{}")
    assert "HF_HUB_OFFLINE" in refusal(repository, "F844").hint
    assert asked(hub) == []
