"""The course as static pages: one folder, no request to anywhere, to be opened from a disk.

Questions answer themselves, and what was answered is kept in the reader's browser. Hidden cases
and solutions are not on the pages; the answers to questions have to be.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from gradir.lessons.course import Course, Lesson, Unit
from gradir.lessons.markdown import inline, to_html
from gradir.lessons.outcome import number_text
from gradir.lessons.questions import Question
from gradir.runtime.files import write_atomically
from gradir.text.diagnostics import GirError, error

ASSETS = ("course.css", "course.js")
_POLICY = (
    "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:"
)


def write_site(course: Course, folder: Path) -> int:
    """Write all pages; the number of them."""
    pages = {"index.html": index_page(course)}
    lessons = course.lessons
    for at, lesson in enumerate(lessons):
        before = lessons[at - 1] if at else None
        after = lessons[at + 1] if at + 1 < len(lessons) else None
        pages[page_name(lesson)] = lesson_page(course, lesson, before, after)
    files = {name: text.encode("utf-8") for name, text in pages.items()}
    for name in ASSETS:
        files[name] = (resources.files("gradir.lessons") / "assets" / name).read_bytes()
    for name, data in files.items():
        target = folder / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise error("U703", f"cannot make {target.parent}: {problem.strerror}") from None
        write_atomically(str(target), data)
    return len(pages)


def page_name(lesson: Lesson) -> str:
    return f"{lesson.unit}/{lesson.name}.html"


def _page(title: str, body: str, root: str, header: str) -> str:
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{html.escape(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{root}course.css">
<script src="{root}course.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header>{header}</header>
<main id="main" tabindex="-1">
{body}
</main>
</body>
</html>
"""


# --- the index ----------------------------------------------------------------------------


def index_page(course: Course) -> str:
    units = "\n".join(_unit(at, unit) for at, unit in enumerate(course.units, 1))
    count = len(course.lessons)
    body = f"""<h1>{html.escape(course.title)}</h1>
<p>{count} exercises in {len(course.units)} units. The exercises are done on your own machine and
checked there: <code>gradir lessons init</code> makes a folder for them,
<code>gradir lessons check</code> checks. The questions answer themselves here.</p>
<p id="total" role="status"></p>
{units}
<p><button type="button" id="forget">Forget my progress in this browser</button></p>"""
    return _page(course.title, body, "", f"<strong>{html.escape(course.title)}</strong>")


def _unit(number: int, unit: Unit) -> str:
    rows = "\n".join(
        f'<li><a href="{page_name(lesson)}">{html.escape(lesson.title)}</a> '
        f'<span class="meta">{lesson.minutes} min</span> '
        f'<span class="state" data-state="{lesson.id}" data-questions="{len(lesson.questions)}">'
        "</span></li>"
        for lesson in unit.lessons
    )
    return f"""<section aria-labelledby="u{number}">
<h2 id="u{number}">{number}. {html.escape(unit.title)}</h2>
<p>{inline(unit.summary)}</p>
<ol>
{rows}
</ol>
</section>"""


# --- a lesson -----------------------------------------------------------------------------


def lesson_page(course: Course, lesson: Lesson, before: Lesson | None, after: Lesson | None) -> str:
    unit = next(unit for unit in course.units if lesson in unit.lessons)

    def figure(path: str, alt: str) -> str:
        return figure_html(lesson, path, alt)

    sections = [
        f"<h1>{html.escape(lesson.title)}</h1>",
        f'<p class="meta">{lesson.minutes} minutes · {number_text(lesson.points)} points · '
        f"{html.escape(', '.join(lesson.concepts))}</p>",
        to_html(lesson.body, figure, 0),
        _start(lesson),
        _hints(lesson),
        _questions(lesson),
        _explanation(lesson, figure),
        f'<p><label><input type="checkbox" id="done" data-lesson="{lesson.id}"> '
        "My answer passes: mark this exercise as done</label></p>",
        _around(before, after),
    ]
    header = (
        f'<nav aria-label="Course"><a href="../index.html">{html.escape(course.title)}</a> › '
        f"{html.escape(unit.title)}</nav>"
    )
    body = "\n".join(part for part in sections if part)
    return _page(f"{lesson.title} – {course.title}", body, "../", header)


def _start(lesson: Lesson) -> str:
    from gradir.lessons.highlight import highlighted

    code = highlighted(lesson.text(lesson.starter.name).rstrip("\n"), lesson.kind)
    return f"""<h2>Where to start</h2>
<p>The file <code>{html.escape(lesson.work_file)}</code> in your folder holds this:</p>
<pre tabindex="0"><code>{code}</code></pre>
<p>Check it with <code>gradir lessons check {lesson.id}</code>.</p>"""


def _hints(lesson: Lesson) -> str:
    if not lesson.hints:
        return ""
    rows = "\n".join(
        f"<details><summary>Hint {at}</summary><p>{inline(hint)}</p></details>"
        for at, hint in enumerate(lesson.hints, 1)
    )
    return f"<h2>Hints</h2>\n{rows}"


def _explanation(lesson: Lesson, figure: Any) -> str:
    text = lesson.text("explain.md").strip()
    if not text:
        return ""
    inner = to_html(text, figure, 2)
    return f"<details><summary>After it passes: why</summary>{inner}</details>"


def _around(before: Lesson | None, after: Lesson | None) -> str:
    links = []
    if before is not None:
        links.append(
            f'<a rel="prev" href="../{page_name(before)}">‹ {html.escape(before.title)}</a>'
        )
    if after is not None:
        links.append(f'<a rel="next" href="../{page_name(after)}">{html.escape(after.title)} ›</a>')
    return f'<nav class="around" aria-label="Neighbours">{" ".join(links)}</nav>'


# --- figures ------------------------------------------------------------------------------


def figure_html(lesson: Lesson, path: str, alt: str) -> str:
    """The drawing of `figure.gir` for `figure.svg`; its text where it cannot be drawn."""
    source = lesson.folder / Path(path).with_suffix(".gir").name
    if not source.is_file():
        return f"<p><em>{html.escape(alt)}</em></p>"
    try:
        shown = _svg(source)
    except GirError:
        from gradir.lessons.highlight import highlighted

        text = highlighted(source.read_text(encoding="utf-8").rstrip("\n"), "gir")
        shown = f'<pre tabindex="0"><code>{text}</code></pre>'
    caption = f"<figcaption>{inline(alt)}</figcaption>" if alt else ""
    label = html.escape(alt or "the program's graph")
    return (
        f'<figure><div class="wide drawing" role="img" aria-label="{label}" tabindex="0">{shown}'
        f"</div>{caption}</figure>"
    )


def _svg(source: Path) -> str:
    from gradir.render.dot import dot_text
    from gradir.render.layout import draw
    from gradir.render.picture import picture
    from gradir.runtime.program import Program

    drawn = picture(Program.load(source).table)
    svg = draw(dot_text(drawn, legend=False), "svg", len(drawn.boxes)).decode("utf-8")
    svg = svg[svg.index("<svg") :]
    # ids would meet those of another figure, and titles show as tooltips of their own
    svg = re.sub(r' id="[^"]*"', "", svg)
    return re.sub(r"<title>.*?</title>", "", svg, flags=re.DOTALL)


# --- questions ----------------------------------------------------------------------------


def _questions(lesson: Lesson) -> str:
    if not lesson.questions:
        return ""
    forms = "\n".join(_question(lesson, question) for question in lesson.questions)
    return f"<h2>Check yourself</h2>\n{forms}"


def _question(lesson: Lesson, question: Question) -> str:
    name = f"{lesson.id}.{question.id}"
    data = {
        "kind": question.kind,
        "answer": _plain_answer(question),
        "tolerance": question.tolerance,
        "feedback": {key: inline(text) for key, text in question.feedback.items()},
        "explain": inline(question.explain),
    }
    fields = "\n".join(_fields(question, name))
    button = "" if question.answer is None else '<button type="submit">Check</button>'
    packed = html.escape(json.dumps(data))
    return f"""<form class="question" data-lesson="{lesson.id}" data-name="{name}"
  data-question="{packed}">
<fieldset>
<legend>{inline(question.text)}</legend>
{fields}
</fieldset>
{button}
<p class="verdict" role="status"></p>
</form>"""


def _plain_answer(question: Question) -> Any:
    if question.kind == "shape" and question.answer is not None:
        return [str(size) for size in question.answer]
    return question.answer


def _fields(question: Question, name: str) -> Iterator[str]:
    box = {"single": "radio", "multi": "checkbox"}.get(question.kind)
    if box is not None:
        for letter, text in question.choices.items():
            yield (
                f'<label><input type="{box}" name="{name}" value="{letter}"> '
                f"<span>{inline(text)}</span></label>"
            )
        return
    example = {"number": "a number", "shape": "a shape, such as 2,3", "text": "a word"}
    yield (
        f'<label><span>{example[question.kind]}</span> <input type="text" name="{name}" '
        'autocomplete="off" autocapitalize="none" spellcheck="false"></label>'
    )
