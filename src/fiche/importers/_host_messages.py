"""Messages that host memory ran out: the CPU allocator's, and of processes that the system killed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fiche.importers._failure_words import HOST, KILLED
from fiche.importers._found import Draft, Found
from fiche.importers._prefix import stripped
from fiche.importers._scan import Message, Word, messages
from fiche.kernel.lazy import lazy
from fiche.kernel.rounding import exact_bytes, printed_interval
from fiche.kernel.said import tell

_START = lazy(
    rb"(?P<allocator>(?:\[enforcefailat[^\]\n]{1,160}\][^D\n]{0,20})?DefaultCPUAllocator:(?:can\\{0,2}'tallocatememory|notenoughmemory)"
    rb"|\$Torch:notenoughmemory)(?::youtriedtoallocate)?"
    rb"|(?P<aligned>posix_memalign\(&data,gAlignment,nbytes\)==0\.12vs0)"
    rb"|(?P<mapped>unabletommap(?P<bytes>\d{1,20})bytesfromfile)"
    rb"|(?P<slurm>Detected\d{1,6}oom[-_]kill(?:event\(s\)|events?))"
    rb"|(?P<srun>srun:error:[\w.-]{1,80}:tasks?[\d,\[\]-]{1,80}:OutOfMemory)"
    rb"|(?P<system>(?:Memorycgroupo|O)utofmemory:Kill(?:ed)?process(?P<pid>\d{1,8})|OOMKilled"
    rb"|oom-kill:constraint=|TERM_MEMLIMIT)"
    rb"|(?P<ray>killedduetothenoderunninglowonmemory)"
    rb"|(?P<loader>DataLoaderworker\(pid\(?s?\)?\d{1,8}\)iskilledbysignal:Killed)"
    rb"|(?P<shell>[Kk]illed)"
    rb"|(?P<code>[Ee]xit(?:ed|s)?(?:with)?(?:status|[Cc]ode)?[:=\"]{0,3}(?:\(?137(?!\d)|-9(?!\d))"
    rb"|\*\*\*\[[^\]]{1,100}\]Error137(?!\d)|Signals\.SIGKILL:9"
    rb"|Signal9\(SIGKILL\)receivedbyPID)"
)
_UNCERTAIN = tell(
    "cause_uncertain: the process was killed from outside; too little host memory is the "
    "usual reason, the message does not say it"
)


def host_messages(
    content: bytes, sha256: str, words: tuple[Word, ...] = HOST + KILLED
) -> Iterator[Found]:
    """Each message, in order; what a scheduler says twice on one line once."""
    last: tuple[int, str] | None = None
    for message in messages(content, words, _START, sha256):
        groups = message.match.groupdict()
        reader = next(each for name, each in _READERS.items() if groups[name] is not None)
        found = reader(message)
        if found is None:
            continue
        killed = (message.line, found.identity) if found.message_kind == "process_killed" else None
        if killed is None or killed != last:  # slurmstepd says one thing twice on its line
            yield found.done()
        last = killed


def _host(message: Message, message_kind: str, shape: str) -> Draft:
    return Draft(
        message=message,
        end=message.match.end(),
        message_kind=message_kind,
        shape=shape,
        backend="cpu" if message_kind == "allocator_oom" else None,
        memory="host",
    )


_AMOUNT = lazy(rb"(\d{1,20})bytes|(\d{1,6})GB|%dGB")


def _allocator(message: Message) -> Draft:
    """`N bytes` is exact; old builds print whole `GB` of 2**30, cut down; one bug prints `%dGB`."""
    whole = message.whole()
    found = _host(whole, "allocator_oom", "cpu-allocator")
    found.complete = False
    amount = _AMOUNT.match(whole.text.text, found.end)
    if amount is None or not whole.match[0].endswith(b"allocate"):
        return found
    digits = amount.span(1) if amount[1] else amount.span(2)
    if whole.text.torn(*digits) or (amount[2] and whole.text.broken(*digits)):
        return found
    found.end, found.complete = amount.end(), True
    if amount[1]:
        found.quantities["requested"] = exact_bytes(int(amount[1]))
    elif amount[2]:
        text = amount[2].decode() + "GB"
        found.quantities["requested"] = printed_interval(text, 1 << 30, "floor-0-digits")
    else:
        found.warnings.append(
            tell("amount_not_readable: this build prints its format, not the amount")
        )
    return found


def _aligned(message: Message) -> Draft:
    return _host(message, "allocator_oom", "cpu-allocator")


_CANNOT = lazy(rb"[^\n]{1,400}?Cannotallocatememory")


def _mapped(message: Message) -> Draft | None:
    if _CANNOT.match(message.text.text, message.match.end()) is None:
        return None
    found = _host(message, "allocator_oom", "mapped-file")
    found.quantities["requested"] = exact_bytes(int(message.match["bytes"]))
    return found


def _killed(message: Message) -> Draft:
    shape = (
        "slurm-oom-kill" if message.match["slurm"] or message.match["srun"] else "system-oom-kill"
    )
    found = _host(message, "process_killed", shape)
    found.identity = (message.match["pid"] or b"").decode()
    return found


def _uncertain(message: Message) -> Draft:
    found = _host(message, "process_killed", "killed")
    found.warnings.append(_UNCERTAIN)
    return found


_SHELL = lazy(rb"(?:^|: line \d{1,7}:|\r|\[\d{1,4}\][+-]? |zsh: )[ \t]*(\d{1,8})?[ \t]*$")


def _shell(message: Message) -> Draft | None:
    """A shell's notice of a job that was killed; the word alone in other text is none."""
    front = _SHELL.search(stripped(message.front[-300:]))
    if front is None:
        return None
    found = _uncertain(message)
    found.identity = (front[1] or b"").decode()
    return found


_READERS: dict[str, Callable[[Message], Draft | None]] = {
    "allocator": _allocator,
    "aligned": _aligned,
    "mapped": _mapped,
    "slurm": _killed,
    "srun": _killed,
    "system": _killed,
    "ray": _killed,
    "loader": _uncertain,
    "shell": _shell,
    "code": _uncertain,
}
