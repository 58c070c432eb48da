"""A report as JUnit XML: a suite for each exercise of each submission, a test for each case."""

from __future__ import annotations

import re
from xml.etree import ElementTree as xml

from gradir.lessons.outcome import LessonResult, Report, Submission

# What XML 1.0 cannot hold in any form.
_UNSPEAKABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str) -> str:
    return _UNSPEAKABLE.sub("\ufffd", text)


def write(report: Report) -> str:
    suites = [(s, lesson) for s in report.submissions for lesson in s.lessons]
    root = xml.Element("testsuites", _counts([lesson for _, lesson in suites]))
    root.set("name", clean(report.course))
    for submission, lesson in suites:
        root.append(_suite(submission, lesson))
    xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml.tostring(root, encoding="unicode")}\n'


def _counts(lessons: list[LessonResult]) -> dict[str, str]:
    cases = [case for lesson in lessons for case in lesson.cases]
    skipped = sum(len(lesson.cases) for lesson in lessons if lesson.missing)
    failed = sum(not case.passed for case in cases) - skipped
    return {
        "tests": str(len(cases)),
        "failures": str(failed),
        "errors": "0",
        "skipped": str(skipped),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }


def _suite(submission: Submission, lesson: LessonResult) -> xml.Element:
    name = clean(f"{submission.name}.{lesson.id}")
    suite = xml.Element("testsuite", {"name": name, **_counts([lesson])})
    for case in lesson.cases:
        attributes = {"name": clean(case.name), "classname": name, "time": f"{case.seconds:.3f}"}
        test = xml.SubElement(suite, "testcase", attributes)
        if case.passed:
            continue
        if lesson.missing:
            xml.SubElement(test, "skipped", {"message": case.message})
            continue
        failure = xml.SubElement(
            test, "failure", {"message": clean(case.message), "type": case.kind}
        )
        failure.text = clean("\n".join([case.why, case.message, *case.detail]))
    if lesson.printed:
        xml.SubElement(suite, "system-out").text = clean(lesson.printed)
    return suite
