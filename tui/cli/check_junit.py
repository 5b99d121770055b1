"""Checked files as JUnit XML, which CI systems show: one test case a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

from tui.cli.checked import Checked
from tui.core.errors import UsageError

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(checked: Sequence[Checked], path: Path) -> None:
    """Write the report.

    Raises:
        UsageError: the file cannot be written.
    """
    bad = [one for one in checked if _failures(one)]
    suite = ET.Element(
        "testsuite", name="verbatim check", tests=str(len(checked)), failures=str(len(bad))
    )
    for one in checked:
        case = ET.SubElement(suite, "testcase", classname=one.dialect, name=_xml(one.file))
        failures = _failures(one)
        if failures:
            failure = ET.SubElement(case, "failure", message=_xml(failures[0]))
            failure.text = _xml("\n".join(failures))
        if one.findings:
            output = ET.SubElement(case, "system-out")
            output.text = _xml(
                "\n".join(
                    f"{found.severity} {found.code} at byte {found.offset}: {found.message}"
                    for found in one.findings
                )
            )
    try:
        ET.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise UsageError(
            f"cannot write {str(path)!r}: {error.strerror}", hint="choose another file for --junit"
        ) from error


def _failures(one: Checked) -> list[str]:
    turn = one.reading.turn
    failures = []
    if turn.outcome != "complete":
        failures.append(f"the turn is {turn.outcome}: {turn.problem}")
    failures += [
        f"the call {call.name} is {call.state}: {call.problem}"
        for call in turn.calls
        if str(call.state) != "final"
    ]
    failures += one.splits.differences if one.splits else ()
    failures += one.cuts.early_acts if one.cuts else ()
    return failures


def _xml(text: str) -> str:
    """`text` without what XML 1.0 cannot hold."""
    return _NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
