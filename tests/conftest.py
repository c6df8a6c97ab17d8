"""What every test shares."""

import os

import pytest
from hypothesis import settings

# No deadline: a slow machine is no defect. In CI the same examples every time: a red run is
# one's own change, and the free search is done on one's own machine.
settings.register_profile("fiche", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "fiche")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """Nothing is skipped inside a tier: what needs more set-up is marked for another one."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} skips: mark it browser, torch or cluster instead"
    return report
