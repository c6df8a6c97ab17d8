"""Stand-ins for veraPDF: programs that print what it prints, and some that mean no good."""

import stat
import sys

PROFILES = {"3a": "PDF/A-3A validation profile", "ua1": "PDF/UA-1 validation profile"}
SPECIFICATIONS = {"3a": "ISO 19005-3:2012", "ua1": "ISO 14289-1:2014"}

# The report of versions since 1.16, as the option `--format xml` (the default; once called mrr) prints it.
XML = """<?xml version="1.0" encoding="utf-8"?>
<report>
  <buildInformation>
    <releaseDetails id="core" version="1.26.1" buildDate="2024-05-16T16:30:00+01:00"></releaseDetails>
    <releaseDetails id="validation-model" version="1.26.1" buildDate="2024-05-16T17:10:00+01:00"/>
  </buildInformation>
  <jobs>
    <job>
      <item size="123456">
        <name>/tmp/report.pdf</name>
      </item>
      <validationReport jobEndStatus="normal" profileName="{profile}" statement="" isCompliant="{compliant}">
        <details passedRules="145" failedRules="{failed}" passedChecks="9000" failedChecks="{failed}">
{rules}</details>
      </validationReport>
      <duration start="1700000000000" finish="1700000001000">00:00:01.000</duration>
    </job>
  </jobs>
  <batchSummary totalJobs="1" failedToParse="0" encrypted="0" outOfMemory="0" veraExceptions="0">
    <validationReports compliant="1" nonCompliant="0" failedJobs="0">1</validationReports>
    <duration start="1700000000000" finish="1700000001000">00:00:01.100</duration>
  </batchSummary>
</report>
"""
RULE = (
    '<rule specification="{specification}" clause="7.5" testNumber="1" status="failed" failedChecks="2">'
    "<description>A cell has no heading</description><object>SETD</object>"
    "<test>hasConnectedHeader != false</test>"
    '<check status="failed"><context>root/document[0]</context></check></rule>'
)
UNREAD = """<?xml version="1.0" encoding="utf-8"?>
<report><buildInformation><releaseDetails id="core" version="1.26.1"/></buildInformation><jobs><job>
<item size="3"><name>report.pdf</name></item>
<taskException type="PARSE" isExecuted="true" isSuccess="false">
<exceptionMessage>Couldn't parse it</exceptionMessage>
</taskException></job></jobs></report>"""


def xml(flavour, compliant=True):
    rules = "" if compliant else RULE.format(specification=SPECIFICATIONS[flavour])
    return XML.format(
        profile=PROFILES[flavour],
        compliant=str(compliant).lower(),
        failed=0 if compliant else 1,
        rules=rules,
    )


def as_json(flavour, compliant=True, listed=True):
    """What `--format json` prints: a list of results since 1.25, one result before."""
    rule = {
        "ruleStatus": "FAILED",
        "specification": SPECIFICATIONS[flavour],
        "clause": "7.5",
        "testNumber": 1,
        "status": "failed",
        "failedChecks": 2,
        "description": "A cell has no heading",
        "checks": [{"status": "failed", "context": "root/document[0]"}],
    }
    result = {
        "details": {
            "passedRules": 145,
            "failedRules": 0,
            "ruleSummaries": [] if compliant else [rule],
        },
        "jobEndStatus": "normal",
        "profileName": PROFILES[flavour],
        "statement": "",
        "compliant": compliant,
    }
    releases = [{"id": "core", "version": "1.28.2", "buildDate": 1746000000000}]
    job = {
        "itemDetails": {"name": "report.pdf", "size": 3},
        "validationResult": [result] if listed else result,
    }
    return {"report": {"buildInformation": {"releaseDetails": releases}, "jobs": [job]}}


def program(folder, body, name="verapdf"):
    """An executable whose Python body sees `flavour` and `pdf`."""
    path = folder / name
    start = "import os, sys, time\nassert sys.argv[1] == '-f'\nflavour, pdf = sys.argv[2:4]\n"
    path.write_text(f"#!{sys.executable}\n{start}{body}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def speaking(folder, **by_flavour):
    """One that says the given text for each flavour, after a warning as Java prints them."""
    return program(
        folder,
        f"sys.stderr.write('Picked up JAVA_TOOL_OPTIONS: -Xmx1g\\n'); sys.stderr.flush()\n"
        f"print({by_flavour!r}['f' + flavour])",
    )
