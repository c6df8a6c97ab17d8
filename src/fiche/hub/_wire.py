"""Requests to a hub: a whole small file, or a part of a large one; never more than was asked for.

The session, the token, the endpoint, proxies and timeouts are those of huggingface_hub, which speaks
through `requests` below 1.0 and through an `httpx` client from there on: both are met here.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from fiche.hub._library import library
from fiche.hub._refusals import cut_short, no_ranges, passing, refusal, too_long
from fiche.hub.name import HubName
from fiche.kernel.diagnostic import Refused

PAUSES = (1, 3)
SLOWEST = 120
_CHUNK = 64 * 1024
_WHOLE, _PART = 200, 206
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")

T = TypeVar("T")


class Wire:
    """Requests about one model at one commit."""

    def __init__(self, name: HubName, commit: str) -> None:
        self._name = name
        self._commit = commit
        self._hub = library()

    def whole(self, file: str, limit: int) -> bytes:
        """A small file, whole.

        Raises:
            Refused: F832 to F839, F841, or F845 where it is longer than `limit` bytes.
        """
        return asked(self._name, file, lambda: self._whole(file, limit))

    def part(self, file: str, start: int, count: int) -> tuple[bytes, int]:
        """`count` bytes from `start`, fewer at the end of the file, and the length of the whole.

        Raises:
            Refused: F832 to F839, F840 where the server sends whole files only, F841.
        """
        return asked(self._name, file, lambda: self._part(file, start, count))

    def _whole(self, file: str, limit: int) -> bytes:
        with self._answer(file, {}) as response:
            if response.status_code != _WHOLE:
                raise Refused([self._strange(file, response)])
            content = _read(response, limit + 1)
            if len(content) > limit:
                raise Refused([too_long(self._name, file, limit)])
            told = _length(response)
            if told is not None and told != len(content):
                raise Refused([cut_short(self._name, file, "the answer is cut short")])
            return content

    def _part(self, file: str, start: int, count: int) -> tuple[bytes, int]:
        with self._answer(file, {"Range": f"bytes={start}-{start + count - 1}"}) as response:
            if response.status_code == _WHOLE:
                raise Refused([no_ranges(self._name, file)])
            told = _RANGE.fullmatch(response.headers.get("content-range", ""))
            if response.status_code != _PART or told is None or int(told[1]) != start:
                raise Refused([self._strange(file, response)])
            length = int(told[3])
            expected = min(count, length - start)
            content = _read(response, expected)
            if len(content) < expected:
                raise Refused([cut_short(self._name, file, "the answer is cut short")])
            return content, length

    def _strange(self, file: str, response: Any) -> Any:  # noqa: ANN401 - of either library
        return cut_short(
            self._name, file, f"the answer is not what was asked for ({response.status_code})"
        )

    @contextmanager
    def _answer(self, file: str, extra: dict[str, str]) -> Iterator[Any]:
        hub = self._hub
        url = hub.hf_hub_url(
            self._name.model, file, revision=self._commit, endpoint=hub.HfApi().endpoint
        )
        # A compressed part is no part of the file.
        headers = {**hub.utils.build_hf_headers(), "Accept-Encoding": "identity", **extra}
        with _opened(hub, url, headers) as response:
            hub.utils.hf_raise_for_status(response)
            yield response


def timeout() -> int:
    """Seconds that the hub's library gives a server to answer (HF_HUB_DOWNLOAD_TIMEOUT)."""
    seconds: int = library().constants.HF_HUB_DOWNLOAD_TIMEOUT
    return seconds


@contextmanager
def _opened(hub: Any, url: str, headers: dict[str, str]) -> Iterator[Any]:  # noqa: ANN401
    session = hub.utils.get_session()
    if callable(getattr(session, "stream", None)):
        given = {"headers": headers, "timeout": timeout(), "follow_redirects": True}
        with session.stream("GET", url, **given) as response:
            yield response
    else:
        with session.get(url, headers=headers, timeout=timeout(), stream=True) as response:
            yield response


def _read(response: Any, most: int) -> bytes:  # noqa: ANN401 - of either library
    """Bytes of the answer, at most `most`: what a server sends beyond is never received."""
    parts = getattr(response, "iter_bytes", None) or response.iter_content
    latest = time.monotonic() + SLOWEST
    content = bytearray()
    for part in parts(_CHUNK):
        content += part
        if len(content) >= most:
            break
        if time.monotonic() > latest:
            raise TimeoutError
    return bytes(content[:most])


def _length(response: Any) -> int | None:  # noqa: ANN401 - of either library
    if response.headers.get("content-encoding", "identity") != "identity":
        return None
    told = response.headers.get("content-length", "")
    return int(told) if told.isdecimal() else None


def asked(name: HubName, file: str, ask: Callable[[], T]) -> T:
    """The answer to a request; what may pass is asked again, a little later.

    Raises:
        Refused: F831 to F839 or F844, by what the hub or the network answered.
    """
    failures = (library().errors.HfHubHTTPError.__bases__[0], OSError, ValueError)
    for pause in (*PAUSES, None):
        try:
            return ask()
        except failures as error:
            if pause is None or not passing(error):
                raise Refused([refusal(error, name, file)]) from error
            time.sleep(pause)
    raise AssertionError
