"""English sentences of the pictures."""

from __future__ import annotations

PICTURES = {
    # --- Memory needed against memory there is
    "pic_memory_title": "Memory needed against memory there is",
    "pic_unmeasured": "not measured",
    "pic_not_firm": "That rests on figures that are not firm, so it excludes nothing.",
    "pic_needs": "needs in {case}",
    "pic_needs_untold": "needs",
    "pic_at_most": "at most {amount}",
    "pic_kept": "keep {amount}",
    "pic_candidates": "one candidate|{count} candidates",
    "pic_need": "Needs in {case}: {items}.",
    "pic_need_sum": "Needs in {case}: {items} = {whole}.",
    "pic_need_untold": "Needs: {items}.",
    "pic_need_untold_sum": "Needs: {items} = {whole}.",
    "pic_no_need": "What is needed in {case} is not known.",
    "pic_no_need_untold": "What is needed is not known.",
    "pic_smaller": "one smaller item|{count} smaller items",
    "pic_keep": "To keep free: {items}.",
    "pic_floor": "Floor: {floor}.",
    "pic_have": "{who} has {have}.",
    "pic_have_margin": "{who} has {have}, a useful margin of {margin}.",
    "pic_have_most": "{who} has at most {have}.",
    "pic_have_none": "What {who} has is not known.",
    "pic_have_many": "Of {who}, capacities stand between {least} and {most}.",
    "pic_sure": "there, as this machine showed",
    "pic_most": "at most, by a label or a document",
    "pic_open": "no measurement ends it",
    "pic_free": "useful margin",
    "pic_range": "may be needed",
    "pic_failure": "a run failed on it",
    "pic_left": "One further need is not drawn.|{count} further needs are not drawn.",
    "pic_floor_sign": "floor: what must be resident together",
    # --- Phases with both peaks
    "pic_phases_title": "Peaks of {run} by phase",
    "pic_phases_device": "Peaks of {run} by phase, device {device}",
    "pic_allocated": "allocated peak",
    "pic_reserved": "reserved peak",
    "pic_start": "level as the phase begins",
    "pic_phases_note": (
        "Each peak has an instant of its own within its phase: no two of them need be of one moment, and none "
        "is added to another."
    ),
    "pic_phase": (
        "{phase}: allocated peak {allocated}, reserved peak {reserved}, allocated as it begins {start}"
    ),
    "pic_phases_left": "One further phase is not drawn.|{count} further phases are not drawn.",
    "pic_times": "{phase} ×{times}",
    # --- Measured series
    "pic_series_title": "Peaks of runs that differ in their dimensions",
    "pic_succeeded": "succeeded",
    "pic_failed": "failed",
    "pic_between": "not measured",
    "pic_capacity": "what there is",
    "pic_series_note": (
        "A sign is a run. Between two of them nothing was measured: the dotted guide only says which follow "
        "each other."
    ),
    "pic_series_failed": "A failed run shows no need, so it stands above the scale.",
    "pic_series_others": "They differ in other dimensions as well, which are told with each.",
    "pic_series_run": "{run}: {dimensions}; {counter} {peak}",
    "pic_series_ended": "{run}: {dimensions}; {outcome}",
    # --- Cost against hours
    "pic_hours_title": "Package cost against hours of rent",
    "pic_hours_across": "hours",
    "pic_hours_said": "{who}: {cost} for {hours}.",
    "pic_hours_bought": "{who}: {cost}, bought.",
    "pic_hours_note": (
        "A sign is a package as it was asked for. Beside it a line goes by the package's own price for a "
        "period: nobody quoted other hours."
    ),
}
