"""Programs in colour, as HTML: values, numbers, comments, the word that says what is done."""

from __future__ import annotations

import html
import re

_GIR = re.compile(
    r"(?P<c>#[^\n]*)|(?P<s>\"[^\"\n]*\")|(?P<v>%[\w.]+)|(?P<m>@[\w.]+)"
    r"|(?P<t>\b(?:f32|f64|i32|i64|u32|bool)\b)"
    r"|(?P<n>-?\b0x[0-9a-fA-F.]+(?:p[-+]?\d+)?|-?\b\d[\d.]*(?:e[-+]?\d+)?\b)"
    r"|(?P<k>\b(?:dim|include|macro|func|return|inf|nan|true|false)\b)"
)
_PYTHON = re.compile(
    r"(?P<c>#[^\n]*)|(?P<s>\"[^\"\n]*\"|'[^'\n]*')"
    r"|(?P<n>\b\d[\d.]*(?:e[-+]?\d+)?\b)"
    r"|(?P<k>\b(?:def|return|for|in|if|elif|else|while|import|from|as|class|not|and|or|None|True"
    r"|False|lambda|raise|with|yield|is|break|continue|pass)\b)"
)
_RULES = {"gir": _GIR, "python": _PYTHON, "py": _PYTHON}


def highlighted(text: str, language: str) -> str:
    """Escaped text with a `<span>` about each thing that has a colour."""
    rule = _RULES.get(language.split()[0] if language.split() else "")
    if rule is None:
        return html.escape(text, quote=False)
    parts, at = [], 0
    for match in rule.finditer(text):
        parts.append(html.escape(text[at : match.start()], quote=False))
        shown = html.escape(match[0], quote=False)
        parts.append(f'<span class="{match.lastgroup}">{shown}</span>')
        at = match.end()
    parts.append(html.escape(text[at:], quote=False))
    return "".join(parts)
