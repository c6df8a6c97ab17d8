"""Names of people in chats that were pasted: headings of a message, and @handles.

Headings as Slack and Discord copy them: `Marie Dupont  9:41 AM`, `marie — Today at 9:41 AM`. A first name
within a sentence stays: nothing tells that it is one.
"""

from __future__ import annotations

import re

from fiche.importers._redaction import rule
from fiche.kernel.lazy import lazy

_WORD = rb"[A-Za-z\x80-\xff][A-Za-z0-9_.'\x80-\xff-]{0,30}"
_CAPITAL = rb"[A-Z\x80-\xff][A-Za-z0-9_.'\x80-\xff-]{0,30}"
_SEVERAL = _WORD + rb"(?:,? (?!APP[ \t])" + _WORD + rb"){1,3}"
_TIME = rb"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?"
_HALF = _TIME + rb"(?: |\xc2\xa0|\xe2\x80\xaf)?[AaPp]\.?[Mm]\.?"
_BEFORE = rb"(?m)^[ \t>*]{0,8}"
# An emoji of a person's status, or the mark of a program that writes there.
_MARK = rb"(?: ?:[a-z0-9_+-]{1,40}:| APP)?"
_END = rb"[ \t]{0,8}\r?$"
_SLACK = rb"(?:[ \t]{2,8}" + _HALF + rb"|[ \t]{1,8}\[" + _HALF + rb"\])" + _END
_DAY = rb"(?:(?:Today|Yesterday) at |[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{2,4},? )"
_DISCORD = (
    rb"[ \t]{1,8}(?:\xe2\x80\x94|-)[ \t]{1,8}(?:"
    + rb"(?:Today|Yesterday) at "
    + _TIME
    + rb"(?: ?[AP]M)?|"
    + _DAY
    + rb"?"
    + _HALF
    + rb")"
    + _END
)
# Most logs hold none of these, and are not looked at further.
_HALVES = (
    *(
        b"%d%sm" % (n, half)
        for n in range(10)
        for half in (b" a", b" p", b"a", b"p", b" a.", b" p.")
    ),
    *(b"\xa0am", b"\xa0pm", b"\xafam", b"\xafpm", b"today at ", b"yesterday at "),
)
_TIMES = rb"[0-9]:[0-9]{2}(?: |\xc2\xa0|\xe2\x80\xaf)?[ap]\.?m|(?:today|yesterday) at [0-9]"

# Words behind an @ that are no people: of chats, of shells and languages, of measurements.
_NOBODY = frozenset(
    b"""here channel everyone all team echo param params return returns see link since throws package property
    dataclass staticmethod classmethod override timestamp version message args types type file
    self cls torch functools""".split()
)
_MEASURED = lazy(
    rb"(?i)(?:bs|mbs|gbs|batch|b|p|fp|bf|int|q|seq|ctx|len|top|k|tp|pp|dp|ep|cp|x|step|epoch|gpu|rank|node|"
    rb"layer|conf|iou|v|r|n|t)_?[0-9]{1,9}[a-z]{0,2}"
)
_OF_A_FILE = lazy(rb"(?i).{0,80}\.(?:json|ya?ml|txt|log|csv|py|sh|rsp|toml|ini|cfg|in|out)")
_LONGEST = 200


def is_handle(found: re.Match[bytes]) -> bool:
    """True for the handle of a person: no decorator of a program's source, no file, no measure."""
    name = found["it"]
    first = name.lower().partition(b".")[0]
    if first in _NOBODY or _MEASURED.fullmatch(name) or _OF_A_FILE.fullmatch(name):
        return False
    text = found.string
    start = text.rfind(b"\n", max(0, found.start() - _LONGEST), found.start()) + 1
    end = text.find(b"\n", found.end(), found.end() + _LONGEST)
    before = text[start : found.start("it") - 1]
    behind = text[found.end("it") : end if end >= 0 else found.end() + _LONGEST]
    return bool(before.strip(b" \t>+-") or behind.strip())


CHATS = (
    rule(
        "user",
        _BEFORE + rb"(?P<it>" + _SEVERAL + rb")" + _MARK + _SLACK,
        *_HALVES,
        learned=True,
        hint=_TIMES,
    ),
    rule(
        "user",
        _BEFORE
        + rb"(?P<it>"
        + _CAPITAL
        + rb"(?: "
        + _CAPITAL
        + rb"){1,3})"
        + _MARK
        + rb" "
        + _HALF
        + _END,
        *_HALVES,
        learned=True,
        hint=_TIMES,
    ),
    rule("user", _BEFORE + rb"(?P<it>" + _WORD + rb")" + _MARK + _SLACK, *_HALVES, hint=_TIMES),
    rule(
        "user",
        _BEFORE + rb"(?P<it>" + _SEVERAL + rb")" + _DISCORD,
        *_HALVES,
        learned=True,
        hint=_TIMES,
    ),
    rule("user", _BEFORE + rb"(?P<it>" + _WORD + rb")" + _DISCORD, *_HALVES, hint=_TIMES),
    rule("user", rb"(?<=<)@(?P<it>[UW][A-Z0-9]{6,14})(?=[|>])", b"<@"),
    rule(
        "user",
        rb"(?:^|(?<=[\s(\[,;>*~]))@(?P<it>[A-Za-z][A-Za-z0-9_.-]{0,38}[A-Za-z0-9_])"
        rb"(?![\w(/\\\[@=\"']|[.-]\w|:[\w/])",
        b"@",
        accepts=is_handle,
    ),
)
