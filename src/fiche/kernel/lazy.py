"""Patterns that are compiled when they are first used.

Importers have hundreds of them, of which a file needs a few; compiling all took longer than reading a log.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class Later:
    """Stands for a compiled pattern, and becomes one."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a pattern has under that name
        found = getattr(self.__dict__.setdefault("_compiled", self._compile()), name)
        self.__dict__[name] = found  # from now on there is nothing between
        return found

    def _compile(self) -> re.Pattern[Any]:
        return re.compile(self._source, self._flags)


def lazy(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` returns, as far as its methods and attributes go.

    Raises (on first use):
        re.error: the source is no pattern; a test uses every one.
    """
    return cast("re.Pattern[AnyStr]", Later(source, flags))
