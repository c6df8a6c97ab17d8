"""The tag tree of a PDF, made small and plain before it is written.

WeasyPrint gives every box and every run of text an element of its own, most of them `Span` or
`NonStruct`, and leaves what stands in the page's margins half tagged: mapped, but in no tree. Here the
elements that say nothing give their content to the one around them, what is empty goes, and running
heads and feet become what they are, artifacts (ISO 14289-1, 7.8). A reader of the structure then meets
headings, paragraphs, lists, tables and figures, and the file is a third smaller.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import pydyf

from fiche.render._joined import GROUPS, join_tables

# Of pydyf, which has no types: the document, a dictionary in it, what a `K` lists.
Pdf: TypeAlias = Any
Element: TypeAlias = Any
Kid: TypeAlias = Any

# Says nothing by itself: its content belongs to the element around it.
_PLAIN = {"/NonStruct", "/Span"}
_INLINE = {"/Link"}
# One inside another is a part of it: a box that the layout made without anybody's asking.
_NEVER_NESTED = {"/Link", "/TD", "/TH"}
# Kept without content: a table needs its empty cells.
_MAY_BE_EMPTY = {"/Document", "/Table", "/TD", "/TH"}


class Tree:
    """The structure of one `pydyf.PDF`, walked once from its root."""

    def __init__(self, pdf: Pdf) -> None:
        self.pdf = pdf
        root = self.at(pdf.catalog["StructTreeRoot"])
        self.document = self.at(root["K"][0])
        self.nums = self.at(root["ParentTree"])["Nums"]
        self.pages = {reference: n for n, reference in enumerate(pdf.page_references)}
        self.kept: dict[int, Element] = {}
        self.inner: set[int] = set()  # what a link's element refers to: its annotation's entry
        self.owners: dict[tuple[int, int], Element] = {}

    def at(self, reference: bytes) -> Element:
        """The object that a reference such as `12 0 R` leads to."""
        return self.pdf.objects[int(reference.split()[0])]

    def simplify(self) -> None:
        """Change the tree in place; elements that are left out stay in the file until `compact`."""
        before = {e.number for e in self.pdf.objects if _is_element(e)}
        self._keep(self.document, self._content(self.document, self.document["S"]))
        join_tables(self)
        self._renumber()
        self.dropped = {n for n in before if n not in self.kept}
        self.dropped |= self._lost_entries()

    def _content(self, element: Element, within: str) -> list[Kid]:
        """What an element holds, in order: marked content as (number, page), else references.

        `within` is the tag of the nearest element that says something.
        """
        found: list[Kid] = []
        for kid in element["K"]:
            if isinstance(kid, int):
                found.append((kid, element["Pg"]))
            elif not _is_element(child := self.at(kid)):
                found.append(kid)
            else:
                found += self._settled(child, within)
        return found

    def _settled(self, child: Element, within: str) -> list[Kid]:
        """A child's place in what is around it: itself, its content where it says nothing, or nothing."""
        content = self._content(child, within if child["S"] in _PLAIN else child["S"])
        if child["S"] == "/NonStruct" and self._captioned(content):
            child["S"] = "/Div"  # a figure and the legend beside it
        nested = child["S"] == within and within in _NEVER_NESTED
        if child["S"] in _PLAIN or nested:
            return content
        if child["S"] == "/Link" and all(isinstance(k, bytes) for k in content):
            self._unlink(content)
            content = []
        if not content and child["S"] not in _MAY_BE_EMPTY:
            return []
        return [self._keep(child, content)]

    def _keep(self, element: Element, content: list[Kid]) -> bytes:
        self.kept[element.number] = element
        element["K"] = pydyf.Array(self._written(element, self._arranged(element, content)))
        return bytes(element.reference)

    def _arranged(self, element: Element, content: list[Kid]) -> list[Kid]:
        """Text stands in paragraphs, and what a list item says in its body."""
        if element["S"] == "/Div" and content and all(self._inline(k) for k in content):
            element["S"] = "/P"
        elif element["S"] in GROUPS:
            return list(self._in_paragraphs(element, content))
        elif element["S"] == "/LI":
            return list(self._in_body(element, content))
        return content

    def _in_paragraphs(self, element: Element, content: list[Kid]) -> Iterator[Kid]:
        run: list[Kid] = []
        for kid in [*content, None]:
            if kid is not None and self._inline(kid):
                run.append(kid)
                continue
            if run:
                yield self._made("/P", element, run)
            run = []
            if kid is not None:
                yield kid

    def _in_body(self, element: Element, content: list[Kid]) -> Iterator[Kid]:
        rest = []
        for kid in content:
            if isinstance(kid, bytes) and self.at(kid).get("S") in ("/Lbl", "/LBody"):
                yield kid
            else:
                rest.append(kid)
        if rest:
            yield self._made("/LBody", element, rest)

    def forget(self, element: Element) -> None:
        """Leave out an element and all that it holds; what it shows becomes an artifact."""
        del self.kept[element.number]
        self.owners = {m: o for m, o in self.owners.items() if o is not element}
        for child in self.children(element):
            self.forget(child)

    def children(self, element: Element) -> list[Element]:
        """The elements right below one."""
        found = (self.at(k) for k in element["K"] if isinstance(k, bytes))
        return [child for child in found if _is_element(child)]

    def _made(self, tag: str, parent: Element, content: list[Kid]) -> bytes:
        page = next((k[1] for k in content if isinstance(k, tuple)), None)
        page = page or next(self.at(k)["Pg"] for k in content)
        element = pydyf.Dictionary({"Type": "/StructElem", "S": tag, "Pg": page})
        self.pdf.add_object(element)
        element["P"] = parent.reference
        return self._keep(element, content)

    def _written(self, element: Element, content: list[Kid]) -> Iterator[Kid]:
        for kid in content:
            if not isinstance(kid, tuple):
                found = self.at(kid)
                if _is_element(found):
                    found["P"] = element.reference
                else:
                    self.inner.add(found.number)
                yield kid
                continue
            mark, page = kid
            self.owners[self.pages[page], mark] = element
            yield mark if page == element.get("Pg") else _marked(mark, page)

    def _inline(self, kid: Kid) -> bool:
        return isinstance(kid, tuple) or self.at(kid).get("S") in _INLINE

    def _captioned(self, content: list[Kid]) -> bool:
        tags = {self.at(k).get("S") for k in content if isinstance(k, bytes)}
        return "/Caption" in tags

    def _unlink(self, entries: list[bytes]) -> None:
        """A link with nothing to show is none: its annotation goes from its page."""
        for entry in entries:
            annotation, page = self.at(entry)["Obj"], self.at(self.at(entry)["Pg"])
            page["Annots"] = pydyf.Array([a for a in page["Annots"] if a != annotation])
            self.at(annotation).pop("StructParent", None)

    def _renumber(self) -> None:
        """Tell each piece of marked content whose it is now; what is nobody's is an artifact."""
        loose: dict[int, set[int]] = {}
        nums = []
        for key, told in zip(self.nums[::2], self.nums[1::2], strict=True):
            if isinstance(told, bytes):  # the element of an annotation
                if int(told.split()[0]) in self.kept:
                    nums += [key, told]
                continue
            owners = [self.owners.get((key, mark)) for mark in range(len(told))]
            loose[key] = {mark for mark, owner in enumerate(owners) if owner is None}
            last = max((m for m, owner in enumerate(owners) if owner is not None), default=-1)
            references = [o.reference if o is not None else "null" for o in owners[: last + 1]]
            nums += [key, pydyf.Array(references)]
        self.nums[:] = nums
        for reference, n in self.pages.items():
            _unmark(self.at(self.at(reference)["Contents"]), loose.get(n, set()))

    def _lost_entries(self) -> set[int]:
        entries = {o.number for o in self.pdf.objects if _is_entry(o)}
        return entries - self.inner


def _is_element(thing: Element) -> bool:
    return isinstance(thing, dict) and thing.get("Type") == "/StructElem"


def _is_entry(thing: Element) -> bool:
    return isinstance(thing, dict) and thing.get("Type") == "/OBJR"


def _marked(mark: int, page: bytes) -> Element:
    return pydyf.Dictionary({"Type": "/MCR", "Pg": page, "MCID": mark})


def _unmark(stream: Element, loose: set[int]) -> None:
    """In a page's operators, `/Span <</MCID 3>> BDC` becomes an artifact of pagination."""
    for n, operand in enumerate(stream.stream):
        if isinstance(operand, dict) and operand.get("MCID") in loose:
            stream.stream[n - 1] = "/Artifact"
            stream.stream[n] = pydyf.Dictionary({"Type": "/Pagination"})
