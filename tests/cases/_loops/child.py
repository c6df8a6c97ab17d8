"""Simulates one plan in a process of its own: it comes as JSON on stdin, its phases go as JSON to stdout."""

import json
import sys
from importlib import import_module
from pathlib import Path


def main():
    """Run the plan, and say what its phases took."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    plan = json.loads(sys.stdin.read())
    out, sys.stdout = sys.stdout, sys.stderr
    json.dump(simulated_phases(plan), out)


def simulated_phases(plan):
    """Phases in their order: name, and the bytes of both counters at its peak and its end."""
    from fiche.simulate.simulated import simulated

    module, _, function = plan["make"].partition(":")
    workload = getattr(import_module(f"_loops.running.{module}"), function)(**plan["arguments"])
    found = simulated(
        workload,
        devices=plan["devices"],
        turns=tuple(plan["turns"]),
        capability=tuple(plan["capability"]),
    )
    allocated = [found.live(device) for device in range(plan["devices"])]
    asked = plan["counter"] == "reserved"
    reserved = [replayed(events, plan["settings"]) if asked else None for events in found.events]
    phases = []
    for span in found.spans:
        for device, live in enumerate(allocated):
            one = {"name": span.name, "device": device}
            one["allocated"] = reach(live, span, device)
            if reserved[device] is not None:
                one["reserved"] = reach(reserved[device], span, device)
            phases.append(one)
    effects = [row for row in found.effects if row.get("count")]
    return {"phases": phases, "effects": effects, "notes": list(found.notes)}


def reach(series, span, device):
    """What was there at the begin of a phase, at most within it, and at its end."""
    begin, end = span.begins[device], span.ends[device]
    start = series[begin - 1] if begin else 0
    return {
        "start": start,
        "peak": max(series[begin:end], default=start) if end > begin else start,
        "end": series[end - 1] if end else start,
    }


def replayed(events, settings):
    """Reserved bytes after each event, None where nothing can replay them."""
    try:
        from fiche.simulate.allocator import AllocatorSettings, replay
    except ImportError:
        return None
    return list(replay(events, AllocatorSettings.of(settings)).reserved)


if __name__ == "__main__":
    main()
