"""The part of Markdown that lessons use, as HTML: everything is escaped, no HTML passes through.

Headings, paragraphs, lists, tables, block quotes, fenced code, emphasis, code, links, figures.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from gradir.lessons.highlight import highlighted

Figure = Callable[[str, str], str]

_HEADING = re.compile(r"(#{1,4})\s+(.*)")
_ITEM = re.compile(r"(\s*)([-*]|\d+[.)])\s+(.*)")
_RULE = re.compile(r"\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*")
_FIGURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_SAFE = re.compile(r"(https?://|#|[\w./-]+\.html)", re.ASCII)


def to_html(text: str, figure: Figure, level: int = 1) -> str:
    """The HTML of a text; `figure(path, alt)` gives a figure's, headings are `level` deeper."""
    return "\n".join(_Blocks(text.split("\n"), figure, level).blocks())


class _Blocks:
    """Reads lines block by block."""

    def __init__(self, lines: list[str], figure: Figure, level: int) -> None:
        self.lines, self.at = lines, 0
        self.figure, self.level = figure, level

    @property
    def line(self) -> str:
        return self.lines[self.at]

    def more(self) -> bool:
        return self.at < len(self.lines)

    def blocks(self) -> list[str]:
        found = []
        while self.more():
            line = self.line
            if not line.strip():
                self.at += 1
            elif line.lstrip().startswith("```"):
                found.append(self.code())
            elif match := _HEADING.fullmatch(line):
                self.at += 1
                depth = min(len(match[1]) + self.level, 6)
                found.append(f"<h{depth}>{inline(match[2])}</h{depth}>")
            elif match := _FIGURE.fullmatch(line.strip()):
                self.at += 1
                found.append(self.figure(match[2], match[1]))
            elif line.startswith(">"):
                found.append(self.quote())
            elif _ITEM.fullmatch(line):
                found.append(self.listing())
            elif "|" in line and self.at + 1 < len(self.lines) and self.rule(self.at + 1):
                found.append(self.table())
            else:
                found.append(self.paragraph())
        return found

    def rule(self, at: int) -> bool:
        return "-" in self.lines[at] and _RULE.fullmatch(self.lines[at].strip()) is not None

    def code(self) -> str:
        head = self.line.lstrip()
        fence = head[: len(head) - len(head.lstrip("`"))]
        indent = len(self.line) - len(head)
        language = head[len(fence) :].strip()
        self.at += 1
        body = []
        while self.more() and self.line.strip() != fence:
            body.append(self.line[min(indent, len(self.line) - len(self.line.lstrip())) :])
            self.at += 1
        self.at += 1
        # a region that scrolls must be reachable by keyboard
        return f'<pre tabindex="0"><code>{highlighted(chr(10).join(body), language)}</code></pre>'

    def quote(self) -> str:
        body = []
        while self.more() and self.line.startswith(">"):
            body.append(self.line[1:].removeprefix(" "))
            self.at += 1
        inner = to_html("\n".join(body), self.figure, self.level)
        return f"<blockquote>{inner}</blockquote>"

    def listing(self) -> str:
        """A list; what is indented below an item belongs to it."""
        first = _ITEM.fullmatch(self.line)
        assert first is not None
        indent, ordered = len(first[1]), first[2] not in "-*"
        items: list[list[str]] = []
        while self.more():
            match = _ITEM.fullmatch(self.line)
            if match and len(match[1]) == indent:
                if (match[2] not in "-*") != ordered:
                    break
                items.append([match[3]])
            elif not self.line.strip():
                following = self.lines[self.at + 1] if self.at + 1 < len(self.lines) else ""
                if len(following) - len(following.lstrip()) <= indent and not (
                    (after := _ITEM.fullmatch(following)) and len(after[1]) == indent
                ):
                    break
                items[-1].append("")
            elif len(self.line) - len(self.line.lstrip()) > indent:
                items[-1].append(self.line[indent + 2 :])
            else:
                items[-1].append(self.line)  # a paragraph that goes on without indentation
                if self.starts_block():
                    items[-1].pop()
                    break
            self.at += 1
        tag = "ol" if ordered else "ul"
        rows = "".join(f"<li>{self.item(lines)}</li>" for lines in items)
        return f"<{tag}>{rows}</{tag}>"

    def item(self, lines: list[str]) -> str:
        inner = "\n".join(_Blocks(lines, self.figure, self.level).blocks())
        only = re.fullmatch(r"<p>(.*?)</p>", inner, re.DOTALL)
        return only[1] if only and "<p>" not in only[1] else inner

    def starts_block(self) -> bool:
        line = self.line
        return bool(
            _HEADING.fullmatch(line) or line.startswith((">", "```", "|")) or _ITEM.fullmatch(line)
        )

    def table(self) -> str:
        head = _cells(self.line)
        self.at += 2
        rows = []
        while self.more() and "|" in self.line:
            rows.append(_cells(self.line))
            self.at += 1
        top = "".join(f'<th scope="col">{inline(cell)}</th>' for cell in head)
        body = "".join(
            "<tr>" + "".join(f"<td>{inline(cell)}</td>" for cell in row) + "</tr>" for row in rows
        )
        return (
            '<div class="wide" tabindex="0"><table>'
            f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
        )

    def paragraph(self) -> str:
        lines = [self.line]
        self.at += 1
        while self.more() and self.line.strip() and not self.starts_block():
            lines.append(self.line)
            self.at += 1
        return f"<p>{inline(' '.join(line.strip() for line in lines))}</p>"


def _cells(line: str) -> list[str]:
    """The cells of a row; a bar inside code does not part them."""
    text = line.strip().removeprefix("|").removesuffix("|")
    parts, cell, code = [], "", False
    for at, char in enumerate(text):
        if char == "`":
            code = not code
        if char == "|" and not code and text[at - 1 : at] != "\\":
            parts.append(cell.strip())
            cell = ""
        else:
            cell += char
    return [part.replace("\\|", "|") for part in [*parts, cell.strip()]]


def inline(text: str) -> str:
    """Code, links and emphasis in a run of text."""
    pieces = re.split(r"(``.+?``|`[^`]+`)", text)
    return "".join(
        f"<code>{html.escape(piece.strip('`').strip(), quote=False)}</code>"
        if at % 2
        else _emphasis(piece)
        for at, piece in enumerate(pieces)
    )


def _emphasis(text: str) -> str:
    text = html.escape(text)
    text = re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", _link, text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    return re.sub(r"(?<![\w*])[*_](?!\s)([^*_]+?)(?<!\s)[*_](?![\w*])", r"<em>\1</em>", text)


def _link(match: re.Match[str]) -> str:
    if not _SAFE.match(match[2]):
        return match[1]
    return f'<a href="{match[2]}">{match[1]}</a>'
