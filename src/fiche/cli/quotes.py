"""The words that stand at an address: a line of a fiche, a line or a value of a piece."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.assets import package_data
from fiche.cli.quoted import find, stands_at
from fiche.importers._opened import opened
from fiche.kernel.address import Address, Span
from fiche.kernel.decision import Fiche
from fiche.kernel.diagnostic import Refused
from fiche.kernel.origin import Computed, Declared, Observed, Origin, Simulated
from fiche.kernel.places import Places
from fiche.kernel.record import field, record

_BUILT_IN = "fiche:"


@record
class Quote:
    """Where a number was read: the place in words, what stands there, the digest of the file.

    `shows` is False where the words do not hold the figure: it follows from several places.
    """

    place: str
    text: str
    file: str
    sha256: str
    shows: bool = True


@record(kw_only=False)
class Quotes:
    """Finds what stands at an address, in the files that went into a decision as importers see them."""

    fiche: Fiche
    contents: Mapping[str, bytes]
    _opened: dict[str, bytes] = field(default_factory=dict)

    def of_origin(self, origin: Origin | None) -> Quote | None:
        """The quote of a number that was read somewhere; None for a computed or an unknown one."""
        address = _address(origin)
        printed = origin.printed if isinstance(origin, Observed | Declared | Simulated) else ""
        return None if address is None else self.of(address, printed)

    def of(self, address: Address, printed: str = "") -> Quote:
        """The quote at an address, around the figure as `printed`.

        Its text is empty where the file was not kept, or where no words stand.
        """
        place = Places.of(self.fiche).of_address(address) or ""
        file, sha256 = self._file(address)
        content = self._content(file)
        text = "" if content is None else stands_at(address, content, printed)
        shows = not text or not printed or find(text, printed) is not None
        return Quote(place=place, text=text, file=file, sha256=sha256, shows=shows)

    def _file(self, address: Address) -> tuple[str, str]:
        if isinstance(address, Span):
            digests = {each.file: each.sha256 for each in self.fiche.inputs}
            return address.file, digests.get(address.file, "")
        files = {each.sha256: each.file for each in reversed(self.fiche.inputs)}
        files |= {each.sha256: each.file for each in reversed(self.fiche.pieces)}
        return files.get(address.sha256, ""), address.sha256

    def _content(self, file: str) -> bytes | None:
        """The text inside a file; of what unpacks to more than is held, nothing but what was read of it."""
        if file not in self._opened:
            received = self._received(file)
            if received is None:
                return None
            try:
                self._opened[file] = opened(received, "")
            except Refused:
                self._opened[file] = b""
        return self._opened[file]

    def _received(self, file: str) -> bytes | None:
        if file in self.contents or not file.startswith(_BUILT_IN):
            return self.contents.get(file)
        return package_data(file.removeprefix(_BUILT_IN)).read_bytes()


def _address(origin: Origin | None) -> Address | None:
    if origin is None or isinstance(origin, Computed):
        return None
    if isinstance(origin, Observed | Simulated):
        return origin.pointer
    if isinstance(origin, Declared):
        return origin.address
    return origin.span
