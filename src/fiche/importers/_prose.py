"""Whether a message was printed by a program, or is named by people: advice, documentation, source code (C11).

A fenced block holds what a program printed. A code span in a sentence, or the words "if you see", name it.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from fiche.importers._found import Found
from fiche.importers._marks import marked
from fiche.kernel.lazy import lazy

DOCUMENTATION = "advice or documentation that names the message"
_SOURCE = "source code that names the message"
_PROSE = lazy(
    rb"(?i)\b(?:if|in case|avoid|prevent|may|might|to fix|search for|e\.g\.|when(?:ever)? (?:you|the|it))\b"
    rb"[^.:;|]{0,80}$"
)
_CODE = lazy(rb"(?:\braise\b|\bin str\(|\bassert\b|==|\bexcept\b)[^\n]{0,80}$")
# A sentence that speaks to its reader; what somebody says of his own run is none.
_TOLD = lazy(
    rb"(?i)(?:\b(?:if|in case|when(?:ever)?) (?:you|your|one|users?)\b"
    rb"|\bif (?:this|it|there) (?:is|are|says?|shows?|happens?|occurs?|fails?)\b"
    rb"|\byou(?:'ll)? (?:may|might|will|can|could) (?:see|get|run into|encounter|hit)\b"
    rb"|\b(?:errors?|messages?) (?:such as|like|similar to|that looks? like)\b|\b(?:for example|e\.g\.))"
    rb"[^\n\"{}|]{0,160}\"?[^\n\"{}|]{0,60}$"
)
_TOLD_WORDS = (
    *(b"if ", b"in case ", b"when", b"you", b"error ", b"errors ", b"message ", b"messages "),
    *(b"for example", b"e.g."),
)
# Whatever the words: a logger wrote this line.
_LOGGED = lazy(rb"\d\d:\d\d:\d\d|\b(?:ERROR|WARN(?:ING)?|INFO|CRITICAL|FATAL)\b")
_HAPPENED = lazy(
    rb"(?i)\b(?:got|gets?|getting|gives?|gave|fails?|failed|crash(?:es|ed)?|throws?|threw|raised?|dies|died|saw"
    rb"|ran into|hit|encountered|ends? (?:up )?(?:in|with)|(?:error|exception) (?:is|was))\b[^\n]{0,80}$"
    rb"|(?:Error|Exception): {0,4}$"
)
_ADVICE = lazy(
    rb"(?i)`?[ \t*\"'.]{0,8}(?::|\||,| -|=>|->|\xe2\x86\x92|\xe2\x80\x94|\xe2\x80\x93| then\b)"
    rb"[ \t*|]{0,8}(?:then |you (?:can|should) )?"
    rb"(?:lower|reduce|decrease|increase|use|try|set|see|enable|switch|restart|check)\b"
)
# Chats put them beside the text, on its first and its last line.
_FENCE = lazy(
    rb"(?:\A|[\r\n]|\\{1,4}[nr])[ \t>]{0,12}(?:```|~~~)|(?:```|~~~)(?=[ \t]{0,12}(?:[\r\n]|\\{1,4}[nr]|\Z))"
)
_MARKED = lazy(rb"(?:\A|\n)#{1,6} {1,4}[A-Za-z*`\[]")
_ITEM = lazy(rb"[ \t]{0,12}(?:[-*+]|\d{1,3}[.)]|\|)[ \t]")
_LINE_END = lazy(rb"[\r\n]|\\{1,4}[nr]")
_HEAD = 64 * 1024
_SPAN = 3_000


class Document:
    """A text as people may have written it; `content` is any text, most often a log."""

    def __init__(self, content: bytes) -> None:
        """Nothing is looked at before it is asked for."""
        self.content = content

    @cached_property
    def _fences(self) -> list[int]:
        if b"```" not in self.content and b"~~~" not in self.content:
            return []
        return [found.end() for found in _FENCE.finditer(self.content)]

    @cached_property
    def _marked(self) -> bool:
        """True where the text is laid out as Markdown."""
        return bool(self._fences) or _MARKED.search(self.content[:_HEAD]) is not None

    def fence_end(self, place: int) -> int | None:
        """Where the fenced block around a place ends; None outside of any, and in one that is never closed."""
        number = bisect_right(self._fences, place)
        inside = number % 2 == 1 and number < len(self._fences)
        return self._fences[number] - 3 if inside else None

    def named(self, found: Found) -> str | None:
        """Why a message is none that a program printed; None for a real one."""
        front = found.front.rpartition(b"\r")[2]
        if not found.quantities:
            near = front[-160:]
            if _CODE.search(near):
                return _SOURCE
            if _PROSE.search(near):
                return DOCUMENTATION
        elif self._fences and self.fence_end(found.start) is not None:
            return None
        return DOCUMENTATION if found.quantities and self._told(found, front) else None

    def _told(self, found: Found, front: bytes) -> bool:
        if _LOGGED.search(front[-300:]):
            return False
        if _tells(front[-300:]):
            return True
        end = found.stop + _SPAN
        edge = _LINE_END.search(self.content, found.stop, end)
        behind = self.content[found.stop : edge.start() if edge else end]
        lead, tick, _ = front.rpartition(b"`")
        if tick and not lead.endswith(b"``") and front.count(b"`") % 2 == 1 and b"`" in behind:
            return self._spanned(found, lead, behind)
        item = self._marked and _ITEM.match(front) is not None
        return item and _ADVICE.match(behind) is not None

    def _spanned(self, found: Found, lead: bytes, behind: bytes) -> bool:
        """True for a code span inside a sentence; one on a line of its own is what somebody pasted."""
        rest = behind.partition(b"`")[2].strip(b" \t.*")
        if lead.strip(b" \t>*-+#|") or rest:
            return _HAPPENED.search(lead[-160:]) is None
        start = self.content.rfind(b"\n", 0, found.start)
        above = self.content[max(0, start - 300) : max(0, start)].rstrip()
        return _tells(above.rpartition(b"\n")[2])


def _tells(text: bytes) -> bool:
    """True where the text ends in a sentence to its reader."""
    return marked(text.lower(), _TOLD_WORDS) and _TOLD.search(text) is not None
