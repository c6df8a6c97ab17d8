"""The same allocator without any cleverness: every segment a list of pieces, every search a walk over all."""

from dataclasses import dataclass, field

from fiche.simulate.ledger.events import ALLOC, EMPTY_CACHE, FREE

MIB = 1 << 20
FREE_PIECE, USED, GAP = "free", "used", "gap"


@dataclass
class Piece:
    at: int
    length: int
    state: str


@dataclass
class Part:
    """A segment of the driver, or the address space of an expandable one."""

    stream: int
    small: bool
    page: int  # 0: a segment of the driver
    pieces: list = field(default_factory=list)

    def joined(self):
        kept = []
        for piece in self.pieces:
            if kept and kept[-1].state == piece.state != USED:
                kept[-1].length += piece.length
            else:
                kept.append(piece)
        self.pieces = kept

    def cut(self, at):
        """Make a border at an address."""
        for place, piece in enumerate(self.pieces):
            if piece.at < at < piece.at + piece.length:
                rest = Piece(at, piece.at + piece.length - at, piece.state)
                piece.length = at - piece.at
                self.pieces.insert(place + 1, rest)

    def between(self, start, stop):
        return [p for p in self.pieces if start <= p.at and p.at + p.length <= stop]


class PlainAllocator:
    def __init__(self, settings):
        self.settings = settings
        self.parts = []
        self.next_at = 1 << 32

    @property
    def reserved(self):
        return sum(p.length for part in self.parts for p in part.pieces if p.state != GAP)

    @property
    def allocated(self):
        return sum(p.length for part in self.parts for p in part.pieces if p.state == USED)

    def malloc(self, asked, stream):
        length = -(-asked // 512) * 512
        small = length <= MIB
        found = self.cached(length, stream, small)
        if found is None:
            found = self.obtained(length, stream, small)
        if found is None:
            return None
        part, piece = found
        rest = piece.length - length
        most = self.settings.max_split_bytes
        if small or self.settings.expandable_segments:
            splits = rest >= 512
        else:
            splits = rest > MIB and (most is None or length < most)
        if splits:
            part.cut(piece.at + length)
        piece.state = USED
        return part, piece

    def cached(self, length, stream, small):
        unused = sorted(
            (
                (piece.length, piece.at, part, piece)
                for part in self.parts
                if (part.stream, part.small) == (stream, small)
                for piece in part.pieces
                if piece.state == FREE_PIECE and piece.length >= length
            ),
            key=lambda one: one[:2],
        )
        if not unused:
            return None
        chosen = unused[0]
        if self.settings.expandable_segments:
            for one in unused[1:]:
                if self.growing(one) >= self.growing(chosen):
                    break
                chosen = one
        most = self.settings.max_split_bytes
        if most is not None and length < most <= chosen[0]:
            return None
        if most is not None and length >= most:
            most_unused = self.settings.max_non_split_rounding_bytes
            if chosen[0] >= length + most_unused:
                return None
        return chosen[2:]

    def growing(self, one):
        length, at, part, _ = one
        return length + sum(p.length for p in part.pieces if p.state == GAP and p.at == at + length)

    def obtained(self, length, stream, small):
        found = self.asked(length, stream, small)
        if found is None and self.release_some(length, stream, small):
            found = self.asked(length, stream, small)
        if found is None:
            self.empty_cache()
            found = self.asked(length, stream, small)
        return found

    def fits(self, length):
        most = self.settings.capacity_bytes
        return most is None or self.reserved + length <= most

    def asked(self, length, stream, small):
        segment = (
            2 * MIB
            if small
            else 20 * MIB
            if length < 10 * MIB
            else -(-length // (2 * MIB)) * 2 * MIB
        )
        allowed = self.settings.allowed_bytes
        if allowed is not None and self.reserved + segment > allowed:
            return None
        if self.settings.expandable_segments:
            return self.grown(length, stream, small)
        if not self.fits(segment):
            return None
        part = Part(stream, small, 0, [Piece(self.next_at, segment, FREE_PIECE)])
        self.next_at += segment
        self.parts.append(part)
        return part, part.pieces[0]

    def grown(self, length, stream, small):
        """Map the lowest run of unused pieces with a gap in it that is long enough, page by page."""
        for part in [p for p in self.parts if (p.stream, p.small) == (stream, small)]:
            for place, piece in enumerate(part.pieces):
                if piece.state != GAP:
                    continue
                first = place - 1 if place and part.pieces[place - 1].state == FREE_PIECE else place
                start, stop = part.pieces[first].at, part.pieces[first].at
                for after in part.pieces[first:]:
                    if after.state == USED or stop - start >= length:
                        break
                    stop += after.length
                if stop - start >= length:
                    return self.mapped(part, start, length)
        page = 2 * MIB if small else 20 * MIB
        part = Part(stream, small, page, [Piece(self.next_at, page << 22, GAP)])
        self.next_at += page << 22
        self.parts.append(part)
        return self.mapped(part, part.pieces[0].at, length)

    def mapped(self, part, start, length):
        while True:
            here = next(p for p in part.pieces if p.at == start)
            if here.state == FREE_PIECE and here.length >= length:
                return part, here
            have = here.length if here.state == FREE_PIECE else 0
            gap = next(p for p in part.pieces if p.at == start + have)
            pages = -(-min(length - have, gap.length) // part.page) * part.page
            if not self.fits(pages):
                return None
            part.cut(gap.at + pages)
            gap.state = FREE_PIECE
            part.joined()

    def release_some(self, length, stream, small):
        most = self.settings.max_split_bytes
        if most is None or self.settings.expandable_segments:
            return False
        wanted = max(length, most)
        whole = sorted(
            (p for p in self.parts if (p.stream, p.small) == (stream, small)),
            key=lambda p: (p.pieces[0].length, p.pieces[0].at),
        )
        whole = [p for p in whole if p.pieces[0].state == FREE_PIECE and p.pieces[0].length >= most]
        enough = [p for p in whole if p.pieces[0].length >= wanted]
        if enough:
            self.parts.remove(enough[0])
            return True
        released = 0
        while whole and released < wanted:
            released += whole[-1].pieces[0].length
            self.parts.remove(whole.pop())
        return released >= wanted

    def free(self, found):
        part, piece = found
        piece.state = FREE_PIECE
        part.joined()

    def empty_cache(self):
        if not self.settings.expandable_segments:
            self.parts = [p for p in self.parts if [x.state for x in p.pieces] != [FREE_PIECE]]
            return
        for part in self.parts:
            base = part.pieces[0].at
            for piece in [p for p in part.pieces if p.state == FREE_PIECE]:
                first = base + -(-(piece.at - base) // part.page) * part.page
                last = base + (piece.at + piece.length - base) // part.page * part.page
                if first < last:
                    part.cut(first)
                    part.cut(last)
                    for inner in part.between(first, last):
                        inner.state = GAP
            part.joined()
        self.parts = [p for p in self.parts if [x.state for x in p.pieces] != [GAP]]


def plain_replay(events, settings):
    """Return (allocated, reserved) after each event, up to the first request without room."""
    allocator, live, levels = PlainAllocator(settings), {}, []
    for op, name, asked, stream in zip(
        events.ops, events.ids, events.num_bytes, events.streams, strict=True
    ):
        if op == ALLOC and asked:
            live[name] = allocator.malloc(asked, stream)
            if live[name] is None:
                break
        elif op == FREE and name in live:
            allocator.free(live.pop(name))
        elif op == EMPTY_CACHE:
            allocator.empty_cache()
        levels.append((allocator.allocated, allocator.reserved))
    return levels
