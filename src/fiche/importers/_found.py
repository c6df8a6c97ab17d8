"""A message as one grammar reads it: a draft while it is read, then what is kept of it."""

from __future__ import annotations

from fiche.importers._prefix import Speaker
from fiche.importers._scan import Message
from fiche.kernel.piece import OtherProcess, Printed
from fiche.kernel.record import field, record


@record(frozen=False)
class Draft:
    """A message that is being read; `end` is how far into its visible text the grammar got."""

    message: Message
    end: int
    message_kind: str
    shape: str
    backend: str | None
    memory: str | None = "device"
    device_index: int | None = None
    quantities: dict[str, Printed] = field(default_factory=dict)
    other_processes: list[OtherProcess] = field(default_factory=list)
    library: str | None = None
    allocator: str | None = None
    complete: bool | None = None
    bare: bool = False
    identity: str = ""
    warnings: list[str] = field(default_factory=list)

    def done(self) -> Found:
        """What is kept: no part of the log but the message's own text and what stood before it."""
        return Found(
            line=self.message.line,
            start=self.message.start,
            stop=self.message.text.after(self.end),
            front=self.message.front,
            speaker=self.message.speaker,
            text=self.message.shown(self.end),
            message_kind=self.message_kind,
            shape=self.shape,
            backend=self.backend,
            memory=self.memory,
            device_index=self.device_index,
            quantities=self.quantities,
            other_processes=tuple(self.other_processes),
            library=self.library,
            allocator=self.allocator,
            complete=self.complete,
            bare=self.bare,
            identity=self.identity,
            warnings=tuple(self.warnings),
        )


@record
class Found:
    """One message. `start` and `stop` are offsets in the text, `front` stood before it on its line.

    `shape` names the variant; `bare` is a wrapper's word without any figure; `complete` is None for
    messages that have no end to miss; `identity` is what tells one event from another where there are
    no figures (a process id).
    """

    line: int
    start: int
    stop: int
    front: bytes
    speaker: Speaker
    text: str
    message_kind: str
    shape: str
    backend: str | None
    memory: str | None
    device_index: int | None
    quantities: dict[str, Printed]
    other_processes: tuple[OtherProcess, ...]
    library: str | None
    allocator: str | None
    complete: bool | None
    bare: bool
    identity: str
    warnings: tuple[str, ...]
