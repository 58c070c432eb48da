"""The shape of the tree: imports along the arrows, one row an op, no stray folders."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gradir.ir.ops import OPS

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "gradir"
TOP_LEVEL = {"gradir", "spec", "lessons", "tests", "tools", ".ci"}

# What each part may import of the others: text → ir → autodiff on the way in; everything behind
# the table reads the table, never text.
READS_TEXT = {"gradir.text.grammar", "gradir.text.lexer", "gradir.text.format", "gradir.ir.build"}
ALLOWED: dict[str, set[str]] = {
    "text": {"text"},
    "ir": {"text", "ir", "autodiff"},
    "autodiff": {"ir", "autodiff"},
    "numerics": {"numerics"},
    "passes": {"ir", "text", "passes", "reference", "autodiff"},
    "reference": {"ir", "numerics", "text", "reference"},
    "codegen": {"ir", "numerics", "text", "passes", "codegen", "reference"},
    "render": {"ir", "text", "render", "passes"},
    "runtime": {"codegen", "ir", "numerics", "passes", "reference", "runtime", "text"},
    "conform": {"conform", "ir", "runtime", "text"},
    "api": {"api", "ir", "runtime", "text"},
}
FRONT = {"text", "ir", "api", "runtime", "conform"}  # the way in, and what offers it to users
EVERYWHERE = {"collector"}


def modules() -> list[tuple[str, ast.Module]]:
    return [
        (
            ".".join(file.relative_to(ROOT).with_suffix("").parts),
            ast.parse(file.read_text(encoding="utf-8")),
        )
        for file in sorted(PACKAGE.rglob("*.py"))
    ]


def imports(tree: ast.Module) -> set[str]:
    """The modules a module imports, those for type checking only left out."""
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize(("name", "tree"), modules(), ids=lambda v: v if isinstance(v, str) else "")
def test_imports_point_along_the_arrows(name: str, tree: ast.Module) -> None:
    parts = name.split(".")
    folder = parts[1] if len(parts) > 2 else ""
    if folder not in ALLOWED or name == "gradir.text.printer":
        return
    for target in imports(tree):
        pieces = target.split(".")
        if pieces[0] != "gradir" or len(pieces) < 2 or pieces[1] in EVERYWHERE:
            continue
        if pieces[1] == "numerics" and folder == "ir":
            pytest.fail(f"{name} knows a backend: {target}")
        assert pieces[1] in ALLOWED[folder], f"{name} imports {target}"
        if folder not in FRONT:
            assert target not in READS_TEXT, f"{name}, behind the table, reads text: {target}"


def test_only_the_grammar_knows_ply() -> None:
    knowing = [name for name, tree in modules() if any(t.startswith("ply") for t in imports(tree))]
    assert knowing == ["gradir.text.grammar"]


def test_nothing_imports_the_command_line() -> None:
    for name, tree in modules():
        if not name.startswith("gradir.cli") and name != "gradir.__main__":
            assert not any(t.startswith("gradir.cli") for t in imports(tree)), name


def test_every_op_has_conformance_files() -> None:
    texts = [
        f.read_text(encoding="utf-8", errors="replace")
        for f in (ROOT / "spec/conformance").rglob("*.gir")
    ]
    cited = {
        sentence.strip().rsplit("-", 1)[0]
        for text in texts
        for line in text.splitlines()
        if line.startswith("# spec:")
        for sentence in line.removeprefix("# spec:").split(",")
    }
    assert {op.spec for op in OPS.values()} <= cited


def test_the_top_level_holds_the_known_folders() -> None:
    folders = [path for path in ROOT.iterdir() if path.is_dir()]
    tracked = {f.name for f in folders if not f.name.startswith(".") or f.name == ".ci"}
    assert tracked - {"build", "dist"} <= TOP_LEVEL
