"""A snapshot as torch would dump it, of an allocator without cleverness that did some events."""

import pickle

from importers.snapshots import block, segment, snapshot
from simulate.allocator.plain_allocator import FREE_PIECE, GAP, USED, PlainAllocator

from fiche.simulate.ledger.events import ALLOC, EMPTY_CACHE, FREE


class Traced:
    """Does events one by one and notes entries as torch's `record_trace` does."""

    def __init__(self, settings, device=0):
        self.allocator = PlainAllocator(settings)
        self.entries, self.live, self.device = [], {}, device
        self.settings = settings

    def note(self, action, at, length, stream):
        words = {"action": action, "addr": at, "size": length, "stream": stream}
        self.entries.append({**words, "time_us": 10 * len(self.entries), "frames": []})

    def parts(self):
        """Return where memory is mapped: address, bytes and stream of each segment."""
        if not self.settings.expandable_segments:
            return {
                p.pieces[0].at: (sum(x.length for x in p.pieces), p.stream)
                for p in self.allocator.parts
            }
        return {
            at: (part.page, part.stream)
            for part in self.allocator.parts
            for piece in part.pieces
            if piece.state != GAP
            for at in range(
                piece.at + -(piece.at - part.pieces[0].at) % part.page,
                piece.at + piece.length,
                part.page,
            )
        }

    def moved(self, before):
        grows, shrinks = ("segment_alloc", "segment_free")
        if self.settings.expandable_segments:
            grows, shrinks = ("segment_map", "segment_unmap")
        after = self.parts()
        for at in sorted(before.keys() - after.keys()):
            self.note(shrinks, at, *before[at])
        for at in sorted(after.keys() - before.keys()):
            self.note(grows, at, *after[at])

    def do(self, op, name, asked, stream):
        before = self.parts()
        if op == ALLOC and asked:
            found = self.allocator.malloc(asked, stream)
            self.live[name] = (found, asked, stream)
            self.moved(before)
            self.note("alloc", found[1].at, asked, stream)
        elif op == FREE and name in self.live:
            found, asked, stream = self.live.pop(name)
            for action in ("free_requested", "free_completed"):
                self.note(action, found[1].at, asked, stream)
            self.allocator.free(found)
        elif op == EMPTY_CACHE:
            self.allocator.empty_cache()
            self.moved(before)

    def dumped(self, first=0, **more):
        """Return the pickle; the trace has the entries from `first` on."""
        asked = {found[1].at: asked for found, asked, _ in self.live.values()}
        segments = []
        for part in self.allocator.parts:
            runs = [[]]
            for piece in part.pieces:
                runs[-1].append(piece) if piece.state != GAP else runs.append([])
            segments += [self.segment(part, run, asked) for run in runs if run]
        return pickle.dumps(snapshot(segments, [[]] * self.device + [self.entries[first:]], **more))

    def segment(self, part, run, asked):
        states = {USED: "active_allocated", FREE_PIECE: "inactive"}
        blocks = [
            block(piece.at, piece.length, asked.get(piece.at, 0), states[piece.state], ())
            for piece in run
        ]
        return segment(
            run[0].at,
            sum(piece.length for piece in run),
            blocks,
            device=self.device,
            stream=part.stream,
            segment_type="small" if part.small else "large",
            is_expandable=bool(part.page),
        )


def traced(events, settings, device=0):
    """Return what did all these events."""
    made = Traced(settings, device)
    for row in zip(events.ops, events.ids, events.num_bytes, events.streams, strict=True):
        made.do(*row)
    return made
