"""What a hub or the way to it answers, as one refusal each: what happened and what to do (law 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fiche.hub.name import HubName
from fiche.kernel.diagnostic import Diagnostic

_TOKEN = "give a token that may read it in HF_TOKEN, or log in with `hf auth login`"
_TOO_MANY, _SERVER = 429, 500
_BY_NAME: Mapping[str, str] = {
    "OfflineModeIsEnabled": "F844",
    "GatedRepoError": "F835",
    "DisabledRepoError": "F835",
    "RevisionNotFoundError": "F833",
    "RepositoryNotFoundError": "F832",
    "HFValidationError": "F831",
    "JSONDecodeError": "F841",
}
# Of httpx, requests and http.client: an answer that ended before its length.
_CUT = ("RemoteProtocolError", "ChunkedEncodingError", "IncompleteRead")
_BY_STATUS: Mapping[int, str] = {401: "F835", 403: "F835", 404: "F834", _TOO_MANY: "F836"}
_HINTS: Mapping[str, str] = {
    "F831": "write org/model, org/model@revision or org/model:file.gguf",
    "F832": f"check the spelling; where it is private, {_TOKEN}",
    "F833": "name a branch, a tag or a commit that its page lists under Files and versions",
    "F834": "its page lists the files under Files and versions",
    "F835": f"accept its conditions on its page, then {_TOKEN}",
    "F836": "wait, then ask again; with a token in HF_TOKEN a hub allows more requests",
    "F837": "ask again later, or look at the hub's status page",
    "F838": "check the network, proxies and HF_ENDPOINT; a downloaded folder needs no network",
    "F839": "ask again, or give it longer with HF_HUB_DOWNLOAD_TIMEOUT (seconds)",
    "F841": "ask again; where it stays so, check HF_ENDPOINT and the proxies on the way",
    "F844": "unset HF_HUB_OFFLINE, or download the model first",
}


def refusal(error: BaseException, name: HubName, file: str = "") -> Diagnostic:
    """What to say where a request about a model, or about one of its files, failed."""
    code = _code(error)
    return Diagnostic(
        code=code,
        message=_message(code, error, f"{name.model}: {file}" if file else name.model, name),
        address=None,
        hint=_hint(code, error),
    )


def _code(error: BaseException) -> str:
    names = [cls.__name__ for cls in type(error).__mro__]
    if _is_cut(names):
        return "F841"
    for name in names:
        if name in _BY_NAME:
            return _BY_NAME[name]
    status = status_of(error)
    if status:
        return _BY_STATUS.get(status, "F837")
    return "F839" if any("Timeout" in name for name in names) else "F838"


def _is_cut(names: list[str]) -> bool:
    return any(name in _CUT for name in names)


def _message(code: str, error: BaseException, what: str, name: HubName) -> str:
    status = status_of(error)
    revision = name.revision or "main"
    if _is_cut([cls.__name__ for cls in type(error).__mro__]):
        return f"{what}: the answer is cut short"
    return {
        "F831": f"{what}: the hub's library takes this for no name of a model",
        "F832": f"{what}: the hub knows no such model, or shows it to others only",
        "F833": f"{what}: the hub knows no revision '{revision}' of it",
        "F834": f"{what}: the hub has no such file at '{revision}'",
        "F835": f"{what}: the hub refuses access ({status})",
        "F836": f"{what}: the hub takes no more requests for now ({status})",
        "F837": f"{what}: the hub failed to answer ({status})",
        "F838": f"{what}: the hub cannot be reached ({type(error).__name__})",
        "F839": f"{what}: the hub did not answer in time",
        "F841": f"{what}: the answer is none of a hub's",
        "F844": f"{what}: not in the local cache, and the network is switched off",
    }[code]


def _hint(code: str, error: BaseException) -> str:
    wait = str(_headers(error).get("retry-after", "")) if code == "F836" else ""
    return f"wait {wait} seconds, then ask again" if wait.isdecimal() else _HINTS[code]


def status_of(error: BaseException) -> int:
    """The status that the server answered with, 0 where there was no answer."""
    status = getattr(getattr(error, "response", None), "status_code", 0)
    return status if isinstance(status, int) else 0


def passing(error: BaseException) -> bool:
    """True for what may be gone in a moment: a server's own error, a connection that broke."""
    if status_of(error):
        return status_of(error) in (500, 502, 503, 504)
    cut = _is_cut([cls.__name__ for cls in type(error).__mro__])
    return cut or _code(error) in ("F838", "F839")


def _headers(error: BaseException) -> Mapping[str, Any]:
    found: Mapping[str, Any] = getattr(getattr(error, "response", None), "headers", {})
    return found


def no_ranges(name: HubName, file: str) -> Diagnostic:
    """F840: a server that answers a range with the whole file."""
    return Diagnostic(
        code="F840",
        message=f"{name.model}: {file}: the server sends whole files only, never a part",
        address=None,
        hint="fiche downloads no weights: point HF_ENDPOINT to a hub that answers ranges",
    )


def cut_short(name: HubName, file: str, why: str) -> Diagnostic:
    """F841: an answer that is not what was asked for."""
    return Diagnostic(
        code="F841",
        message=f"{name.model}: {file}: {why}",
        address=None,
        hint="ask again; where it stays so, a proxy or a mirror on the way changes answers",
    )


def too_long(name: HubName, file: str, limit: int) -> Diagnostic:
    """F845: a file that is read whole is longer than any such file."""
    return Diagnostic(
        code="F845",
        message=f"{name.model}: {file} is longer than {limit} bytes",
        address=None,
        hint="no configuration or header is that long: check what the repository holds",
    )
