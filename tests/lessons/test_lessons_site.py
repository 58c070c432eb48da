"""The course as pages: what they hold, what they ask for, and how they behave in a browser."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gradir.cli.main import main
from gradir.lessons.course import Course
from gradir.lessons.markdown import inline, to_html
from gradir.lessons.site import write_site

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
PAGE = "01-one/01-double.html"


@pytest.fixture(scope="module")
def site(little: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    assert write_site(little, folder) == 4
    return folder


class Page(HTMLParser):
    """The tags of a page, and whether each that is opened is closed."""

    EMPTY = frozenset(["meta", "link", "input", "br", "hr", "img"])

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, f"</{tag}> where it is not open"

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


def pages(site: Path) -> dict[str, Page]:
    return {str(f.relative_to(site)): Page(f.read_text()) for f in sorted(site.rglob("*.html"))}


def test_pages_are_whole_and_ask_for_nothing_outside(site: Path) -> None:
    for name, page in pages(site).items():
        assert page.open == [], name
        for _, attrs in page.tags:
            for key in ("src", "href"):
                target = attrs.get(key)
                if target is None or target.startswith(("#", "data:")):
                    continue
                assert not re.match(r"\w+:|//", target), f"{name} asks for {target}"
                assert (site / name).parent.joinpath(target).resolve().is_file()
    assert not re.search(
        r"https?://|url\(|@import|fetch|XMLHttp", (site / "course.css").read_text()
    )
    assert not re.search(r"https?://|fetch|XMLHttp|import\(", (site / "course.js").read_text())


def test_pages_can_be_used_without_a_mouse_or_eyes(site: Path) -> None:
    for name, page in pages(site).items():
        assert page.of("html")[0]["lang"] == "en"
        assert [tag for tag, _ in page.tags].count("h1") == 1
        assert page.of("main") and page.of("a")[0]["class"] == "skip"
        levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
        steps = itertools.pairwise(levels)
        assert all(after <= before + 1 for before, after in steps), f"{name} skips a level"
        for form in re.findall(r"<form.*?</form>", (site / name).read_text(), re.DOTALL):
            assert "<legend>" in form and 'role="status"' in form
            assert form.count("<input") == form.count("<label>")
        for attrs in page.of("div"):
            if attrs.get("role") == "img":
                assert attrs["aria-label"]
        for attrs in page.of("pre"):
            assert attrs["tabindex"] == "0"  # it scrolls: it must be reachable by keyboard


def test_what_pages_hold(site: Path) -> None:
    text = (site / PAGE).read_text()
    assert "<svg" in text or "<pre" in text
    assert "Double <code>x</code> &amp; give it as <code>y</code>." in text
    assert text.count("<summary>Hint") == 3
    assert "mul %x 2.0" not in re.sub("<.*?>", "", text)  # the solution
    assert "random" not in text  # a hidden case
    assert '<a rel="next" href="../01-one/02-slope.html">' in text
    index = (site / "index.html").read_text()
    assert index.count('class="state"') == 3


def test_the_same_course_gives_the_same_pages(little: Course, site: Path, tmp_path: Path) -> None:
    write_site(little, tmp_path)
    for file in site.rglob("*"):
        if file.is_file():
            assert (tmp_path / file.relative_to(site)).read_bytes() == file.read_bytes()


def test_the_command(course_copy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = ["lessons", "--course", str(course_copy), "site"]
    assert main(base) == 2
    assert main([*base, "-o", str(tmp_path / "out")]) == 0
    assert "4 pages" in capsys.readouterr().out
    (tmp_path / "file").write_text("")
    assert main([*base, "-o", str(tmp_path / "file" / "sub")]) == 2


# --- in a browser -------------------------------------------------------------------------


def in_browser(site: Path, page: str, script: str, profile: Path, width: int = 1000) -> object:
    """What a script finds that runs on a page once it is there: JSON, by way of the title."""
    assert BROWSER is not None
    driver = site / "driver.js"
    driver.write_text(
        "addEventListener('load', () => { document.title = JSON.stringify((() => {"
        f"{script}}})()); }});"
    )
    copy = (site / page).with_suffix(".driven.html")
    root = "../" * page.count("/")
    tag = f'<script src="{root}driver.js" defer></script></head>'
    copy.write_text((site / page).read_text().replace("</head>", tag))
    try:
        done = subprocess.run(
            [
                BROWSER,
                *("--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
                f"--user-data-dir={profile}",
                f"--window-size={width},900",
                "--virtual-time-budget=2000",
                copy.as_uri(),
            ],
            capture_output=True,
            text=True,
            timeout=60,
        )
    finally:
        copy.unlink()
        driver.unlink()
    match = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert match is not None, done.stderr
    return json.loads(match[1].replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))


needs_browser = pytest.mark.skipif(BROWSER is None, reason="no chromium here")

ANSWER = """
  const forms = [...document.querySelectorAll('form.question')];
  const said = () => forms.map((f) => f.querySelector('.verdict').textContent);
  forms[0].querySelector('input[value=a]').checked = true;
  forms[1].querySelector('input').value = '4';
  forms.forEach((f) => f.requestSubmit());
  const wrong = said();
  forms[0].querySelector('input[value=b]').checked = true;
  forms[1].querySelector('input').value = '[3]';
  forms.forEach((f) => f.requestSubmit());
  document.getElementById('done').click();
  return [wrong, said()];
"""


@needs_browser
def test_questions_answer_themselves_and_are_remembered(site: Path, tmp_path: Path) -> None:
    wrong, right = in_browser(site, PAGE, ANSWER, tmp_path)  # type: ignore[misc]
    assert wrong == [
        "Not quite. That is three and two.",
        "Not quite. Count the elements.",
    ]
    assert right == ["Right. Two threes.", "Right. One axis."]
    again = """
      const forms = [...document.querySelectorAll('form.question')];
      return [forms[0].querySelector('input[value=b]').checked,
        forms[1].querySelector('input').value, document.getElementById('done').checked,
        forms[0].querySelector('.verdict').textContent];
    """
    assert in_browser(site, PAGE, again, tmp_path) == [True, "[3]", True, "Right. Two threes."]
    index = """
      const texts = () => [...document.querySelectorAll('[data-state]')].map((s) => s.textContent);
      const before = [texts(), document.getElementById('total').textContent];
      document.getElementById('forget').click();
      return [...before, texts()];
    """
    states, total, after = in_browser(site, "index.html", index, tmp_path)  # type: ignore[misc]
    assert states == ["done, 2 of 2 questions", "", ""]
    assert total == "1 of 3 exercises done in this browser."
    assert after == ["", "", ""]


@needs_browser
@pytest.mark.parametrize("page", ["index.html", PAGE, "01-one/02-slope.html"])
def test_pages_fit_a_phone(page: str, site: Path, tmp_path: Path) -> None:
    # headless windows have a least width: a frame of the phone's width is measured instead
    script = """
      document.documentElement.style.width = '360px';
      document.body.style.width = '360px';
      const wide = [...document.body.querySelectorAll('*')].filter((e) =>
        !e.closest('pre, .wide, .skip') && e.getBoundingClientRect().right > 361);
      return wide.map((e) => e.tagName + ' ' + e.textContent.slice(0, 40));
    """
    assert in_browser(site, page, script, tmp_path) == []


# --- Markdown -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "a `<b>` & *c* **d** e_f_g",
            "a <code>&lt;b&gt;</code> &amp; <em>c</em> <strong>d</strong> e_f_g",
        ),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("[x](javascript:alert(1))", "x)"),
        ("[x](#here)", '<a href="#here">x</a>'),
        ("`a * b` and `c * d`", "<code>a * b</code> and <code>c * d</code>"),
        ("<script>", "&lt;script&gt;"),
    ],
)
def test_inline(text: str, wanted: str) -> None:
    assert inline(text) == wanted


BLOCKS = [
    ("# A\n\nb\nc", "<h2>A</h2>\n<p>b c</p>"),
    ("- a\n- b\n  c\n\nd", "<ul><li>a</li><li>b c</li></ul>\n<p>d</p>"),
    ("1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"),
    ("- a\n  - b\n- c", "<ul><li><p>a</p>\n<ul><li>b</li></ul></li><li>c</li></ul>"),
    ("> q", "<blockquote><p>q</p></blockquote>"),
    ("```\n<x>\n\n  y\n```", '<pre tabindex="0"><code>&lt;x&gt;\n\n  y</code></pre>'),
    ("![alt](f.svg)", "[f.svg|alt]"),
    (
        "| a | b |\n|---|---|\n| `x|y` | 2 |",
        '<div class="wide" tabindex="0"><table><thead><tr><th scope="col">a</th>'
        '<th scope="col">b</th></tr></thead><tbody><tr><td><code>x|y</code></td><td>2</td></tr>'
        "</tbody></table></div>",
    ),
]


@pytest.mark.parametrize(("text", "wanted"), BLOCKS, ids=[b[0][:8] for b in BLOCKS])
def test_blocks(text: str, wanted: str) -> None:
    assert to_html(text, lambda path, alt: f"[{path}|{alt}]") == wanted
