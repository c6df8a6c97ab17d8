"""What came to a PDF with its signatures: a signature may add itself, and change nothing that a reader sees.

A signature says who vouches for the bytes before it, also where these bytes paint another page over the
report. So every object that an update writes anew is held against the one that was there before.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, TypeAlias

from fiche.verify._told import other_told

# Of pyHanko, which is optional.
Foreign: TypeAlias = Any

# What a signature may bring to the catalog: the form that lists it, and what long-term validation needs.
_BROUGHT = ("/AcroForm", "/Perms", "/Extensions", "/DSS", "/Version")
_OF_FORM = ("/Fields", "/SigFlags", "/DR", "/DA")
# What a field of a signature may say: nothing of it acts, hangs on something else, or shows by itself.
_OF_FIELD = frozenset(
    f"/{key}"
    for key in (
        *("Type", "Subtype", "FT", "T", "TU", "TM", "V", "F", "Ff", "Rect", "P", "Lock", "SV"),
        *("AP", "MK", "DA", "DR", "Q", "NM", "M", "Border", "BS", "StructParent"),
    )
)


class Seal:
    """The updates behind the unsigned bytes, one revision at a time.

    `changes` is what they change beyond signatures, in words. `restated` is true where a program also wrote
    its own dates and name into the metadata, which no page shows.
    """

    def __init__(self, reader: Foreign, before: Foreign) -> None:
        """`before` reads the unsigned bytes alone, `reader` the whole file."""
        self._reader = reader
        self.restated = False
        first, last = before.xrefs.total_revisions, reader.xrefs.total_revisions
        self.changes: list[str] = []
        if _begins(before, first) != _begins(reader, min(first, last)):
            self.changes = ["it leads to another document, beside the report"]
        self.changes += [said for now in range(first, last) for said in self._of(now)]

    def _of(self, now: int) -> Iterator[str]:
        xrefs = self._reader.xrefs
        old = self._reader.get_historical_resolver(now - 1)
        new = self._reader.get_historical_resolver(now)
        if _key(old.root_ref) != _key(new.root_ref):
            yield "the catalog of the document is another one"
            return
        if new.refs_freed_in_revision():
            yield "objects are taken away"
        if "/Encrypt" in new.trailer_view:
            yield "the file is encrypted"
        yield from self._metadata(old, new)
        for ref in sorted(new.explicit_refs_in_revision(), key=_key):
            if xrefs.get_historical_ref(ref, now - 1) is not None:
                yield from self._object(ref, old, new)
            elif ref.generation:  # some readers look for the number alone
                yield f"object {ref.idnum} comes in another generation"

    def _metadata(self, old: Foreign, new: Foreign) -> Iterator[str]:
        """Properties and metadata: a program may name itself and the time there, and say nothing else anew."""
        then, now = _told_by(old), _told_by(new)
        if [each and _written(each) for each in then] != [each and _written(each) for each in now]:
            self.restated = True
            yield from other_told(*then, *now)

    def _object(self, ref: Foreign, old: Foreign, new: Foreign) -> Iterator[str]:
        """One object that an update has written anew."""
        before, after = old(ref), new(ref)
        if _same(before, after):
            return
        if _key(ref) == _key(new.root_ref):
            yield from _catalog(before, after)
        elif _key(ref) in _metadata(new) & _metadata(old):
            pass  # looked at already, wherever it lies
        elif _is_form(ref, old):
            yield from _form(before, after)
        elif isinstance(before, list) and isinstance(after, list):
            yield from _longer(before, after, "a list")
        elif isinstance(after, dict) and str(_get(after, "/Type")) == "/Page":
            yield from _page(before, after)
        else:
            yield f"object {ref.idnum} is another one"


def _begins(reader: Foreign, count: int) -> list[int]:
    """Where the lists of objects of the first revisions stand: what comes later hangs on them or on others."""
    told = map(reader.xrefs.get_xref_container_info, range(count))
    return [int(each.start_location) for each in told]


def _key(ref: Foreign) -> tuple[int, int]:
    return int(ref.idnum), int(ref.generation)


def _get(thing: Foreign, key: str) -> Foreign:
    """What stands under a key, wherever in the file it lies; None without it."""
    return thing[key] if thing is not None and key in thing else None


def _same(one: Foreign, other: Foreign) -> bool:
    return _written(one) == _written(other)


def _written(thing: Foreign) -> bytes:
    """An object as it is written, whichever revision its references lead into."""
    stream = io.BytesIO()
    thing.write_to_stream(stream, None)
    return stream.getvalue()


def _without(thing: Foreign, keys: tuple[str, ...]) -> dict[str, bytes]:
    return {str(key): _written(thing.raw_get(key)) for key in thing if str(key) not in keys}


def _metadata(new: Foreign) -> set[tuple[int, int]]:
    """The two places where a program writes its name and the time."""
    holders = ((new.trailer_view, "/Info"), (new(new.root_ref), "/Metadata"))
    found = [holder.raw_get(key) for holder, key in holders if key in holder]
    return {_key(each) for each in found if hasattr(each, "idnum")}


def _told_by(resolver: Foreign) -> tuple[Foreign, Foreign]:
    """The document's properties and its metadata, of one revision; None where there are none."""
    root = resolver(resolver.root_ref)
    return _led_to(resolver, resolver.trailer_view, "/Info"), _led_to(resolver, root, "/Metadata")


def _led_to(resolver: Foreign, holder: Foreign, key: str) -> Foreign:
    """As `_get`, in that very revision: pyHanko follows references of a trailer into the last one."""
    held = _raw(holder, key)
    return resolver(held.reference) if hasattr(held, "idnum") else held


def _catalog(before: Foreign, after: Foreign) -> Iterator[str]:
    if _without(before, (*_BROUGHT, "/Metadata")) != _without(after, (*_BROUGHT, "/Metadata")):
        yield "the catalog of the document says something else"
    then, now = (_raw(each, "/AcroForm") for each in (before, after))
    if now is None:
        if then is not None:
            yield "the form is taken away"
    elif not hasattr(now, "idnum") or then is None or _written(then) != _written(now):
        yield from _form(_get(before, "/AcroForm"), _get(after, "/AcroForm"))


def _raw(thing: Foreign, key: str) -> Foreign:
    """What is written under a key, a reference where it is one; None without it."""
    return thing.raw_get(key) if key in thing else None


def _is_form(ref: Foreign, old: Foreign) -> bool:
    root = old(old.root_ref)
    held = root.raw_get("/AcroForm") if "/AcroForm" in root else None
    return hasattr(held, "idnum") and _key(held) == _key(ref)


def _form(before: Foreign, after: Foreign) -> Iterator[str]:
    """A form lists signatures and nothing to fill in; one that was there keeps its fields."""
    told = _without(before, _OF_FORM) if before is not None else {}
    if _without(after, _OF_FORM) != told:
        yield "the form says something else"
    yield from _longer(_get(before, "/Fields"), _get(after, "/Fields"), "the form")


def _page(before: Foreign, after: Foreign) -> Iterator[str]:
    if _without(before, ("/Annots",)) != _without(after, ("/Annots",)):
        yield "a page says something else"
    yield from _longer(_get(before, "/Annots"), _get(after, "/Annots"), "a page")


def _longer(before: Foreign, after: Foreign, what: str) -> Iterator[str]:
    """The list goes on with signatures, and with signatures that paint nothing."""
    kept = [_written(before.raw_get(place)) for place in range(len(before or ()))]
    now = [_written(after.raw_get(place)) for place in range(len(after or ()))]
    if now[: len(kept)] != kept:
        yield f"{what} lost or changed something"
    for place in range(len(kept), len(now)):
        field = after[place]
        if not isinstance(field, dict) or str(_get(field, "/FT")) != "/Sig":
            yield f"{what} got something that is no signature"
        elif strange := sorted(str(key) for key in field if str(key) not in _OF_FIELD):
            yield f"{what} got a signature that does more than sign ({strange[0]})"
        elif str(_get(field, "/Subtype")) not in ("None", "/Widget"):
            yield f"{what} got a note in the place of a signature"
        elif _is_seen(field):
            yield f"{what} got a signature that paints over it"


def _is_seen(field: Foreign) -> bool:
    if "/Kids" in field:
        return True
    box = [str(each) for each in _get(field, "/Rect") or ()]
    return bool(box) and (len(box) != 4 or (box[0] != box[2] and box[1] != box[3]))
