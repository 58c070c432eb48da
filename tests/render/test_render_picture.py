"""What a picture shows, and that its DOT text is one that Graphviz takes."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gradir.cli.main import main
from gradir.render.dot import STYLES, dot_text, quote
from gradir.render.layout import MAX_NODES, draw
from gradir.render.page import page
from gradir.render.picture import picture
from gradir.runtime.program import Program
from gradir.text.diagnostics import GirError

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="no Graphviz here")

STEP = """\
%wb = buffer f32[3] init=0.5
%x = stage f32[3]
%w = load %wb
%e = mul %w %x
%loss = reduce (mul %e %e) op=add
%g = gradient %loss %w
store %wb (sub %w (mul 0.1 %g))
output %loss
"""


def drawn(text: str, **more: object):  # type: ignore[no-untyped-def]
    return picture(Program.parse(text).table, **more)  # type: ignore[arg-type]


def titles(text: str, **more: object) -> list[str]:
    return [box.title for box in drawn(text, **more).boxes.values()]


def test_kinds() -> None:
    assert [(box.title, box.kind) for box in drawn(STEP).boxes.values()] == [
        ("buffer slot=0 init=0.5", "source"),
        ("stage", "source"),
        ("load", "source"),
        ("mul", "forward"),
        ("mul", "forward"),
        ("reduce op=add axes=[0]", "forward"),
        ("mul 1.0 ·", "gradient"),
        ("add", "gradient"),
        ("mul", "gradient"),
        ("mul 0.1 ·", "forward"),
        ("mul · -1.0", "forward"),
        ("add", "forward"),
        ("store %wb", "effect"),
        ('output name="loss"', "effect"),
    ]


def test_kinds_differ_in_shape_and_in_colour() -> None:
    assert len({style.shape for style in STYLES.values()}) == len(STYLES) == 5
    assert len({style.fill for style in STYLES.values()}) == 5


def test_phases() -> None:
    phases = {box.title: box.phase for box in drawn(STEP).boxes.values()}
    assert phases["stage"] == "forward"
    assert phases["mul 1.0 ·"] == "backward"
    assert phases["store %wb"] == phases["mul 0.1 ·"] == "update"


def test_a_shared_node_is_drawn_once() -> None:
    made = drawn("%x = stage f32[3]\n%s = sin %x\n%y = mul (sin %x) %s\noutput %y\n")
    assert [box.title for box in made.boxes.values()] == [
        "stage", "sin", "mul", 'output name="y"',
    ]  # fmt: skip
    sine = next(box.id for box in made.boxes.values() if box.title == "sin")
    assert [edge.tail for edge in made.edges].count(sine) == 2


def test_constants_are_folded_into_each_use_or_drawn() -> None:
    text = "%x = stage f32[2,3]\n%y = add (mul %x 2.0) 2.0\noutput %y\n"
    assert titles(text) == ["stage", "mul · 2.0", "add · 2.0", 'output name="y"']
    assert titles(text, fold=False) == [
        "stage", "const 2.0", "reshape", "expand", "mul", "add", 'output name="y"',
    ]  # fmt: skip


def test_a_constant_that_nothing_uses_or_that_is_asked_for_is_drawn() -> None:
    assert titles("%k = const f32 2.0\n") == ["const 2.0"]
    program = Program.parse("%k = const f32 2.0\n%y = mul %k 3.0\noutput %y\n")
    made = picture(program.table, only=[program.table.names["k"]])
    assert [box.title for box in made.boxes.values()] == ["const 2.0"]


def test_only_what_a_node_is_computed_from() -> None:
    program = Program.parse(STEP)
    made = picture(program.table, only=[program.table.names["e"]])
    assert [box.title.split()[0] for box in made.boxes.values()] == [
        "buffer", "stage", "load", "mul",
    ]  # fmt: skip


def test_operands_are_numbered_where_their_order_matters() -> None:
    def places(text: str) -> list[int]:
        return [edge.place for edge in drawn(text).edges][:2]

    head = "%x = stage f32[3]\n%z = stage f32[3]\n"
    assert places(head + "%y = div %x %z\n") == [1, 2]
    assert places(head + "%y = add %x %z\n") == [0, 0]
    assert places(head + "%y = div %x 2.0\n") == [0]


def test_every_edge_ends_at_a_box() -> None:
    for fold in (True, False):
        made = drawn(STEP, fold=fold)
        ends = {edge.tail for edge in made.edges} | {edge.head for edge in made.edges}
        assert ends <= set(made.boxes)


# --- DOT ----------------------------------------------------------------------------------


def graphviz(text: str, form: str = "svg") -> bytes:
    return draw(text, form, 1)


@needs_dot
@pytest.mark.parametrize("group", [False, True])
@pytest.mark.parametrize("legend", [False, True])
@pytest.mark.parametrize("fold", [False, True])
def test_graphviz_takes_it(group: bool, legend: bool, fold: bool) -> None:
    made = drawn(STEP, fold=fold)
    svg = graphviz(dot_text(made, group=group, legend=legend)).decode()
    nodes = re.findall(r'class="node">\s*<title>(n\d+)</title>', svg)
    assert sorted(nodes) == sorted(f"n{id}" for id in made.boxes)
    assert svg.count('class="edge"') == len(made.edges)
    assert ("legend" in svg) is legend
    assert (">5: %loss = " in svg) is group


HOSTILE = [
    "<script>alert(1)</script>",
    "a & b",
    "back\\slash \\N \\l",
    "]; evil [label=x",
    "-->",
    "\u202eabc\x07",
    "名前",
    "'",
    "]]>",
]


@needs_dot
@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_escaped(name: str) -> None:
    made = drawn(f'%x = stage f32 name="in.{len(name)}"\n%y = sin %x\noutput %y\n')
    box = made.boxes[1]
    for field in ("title", "value", "statement"):
        object.__setattr__(box, field, f"op {name}")
    object.__setattr__(box, "names", (name,))
    svg = graphviz(dot_text(made, group=True)).decode()
    assert svg.count('class="node"') == len(made.boxes) + 3  # and the legend's
    assert "<script" not in svg
    html = page(f"{name} @SVG@", svg)
    assert html.count("<script>") == 1 and html.count("<svg") == 1


def test_quoting() -> None:
    assert quote('a "b" \\N\n') == '"a \\"b\\" \\\\N "'


@needs_dot
def test_an_empty_program_is_drawn() -> None:
    assert b"<svg" in graphviz(dot_text(drawn("# nothing\n")))


def test_a_long_chain_needs_no_recursion() -> None:
    lines = ["%x0 = stage f32", *(f"%x{k + 1} = sin %x{k}" for k in range(20000))]
    text = dot_text(drawn("\n".join(lines)), group=True)
    assert text.count(" -> ") >= 20000


# --- layout, page, command ----------------------------------------------------------------


def test_without_graphviz(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for form in ("svg", "png", "html"):
        assert main(["render", "example:cubic", "-T", form]) == 2
        assert "error[U704]" in capsys.readouterr().err
    assert main(["render", "example:cubic", "-T", "dot"]) == 0
    assert capsys.readouterr().out.startswith("digraph gir {")


@needs_dot
def test_too_many_nodes_are_refused_before_the_layout() -> None:
    with pytest.raises(GirError) as refused:
        draw("digraph {}", "svg", MAX_NODES + 1)
    assert refused.value.diagnostics[0].code == "U704"


@needs_dot
def test_a_dot_that_fails_is_reported() -> None:
    with pytest.raises(GirError) as refused:
        draw("digraph { [", "svg", 1)
    assert "syntax error" in refused.value.diagnostics[0].message


@needs_dot
def test_the_forms(tmp_path: Path) -> None:
    for name, start in (("a.svg", b"<?xml"), ("a.png", b"\x89PNG"), ("a.html", b"<!DOCTYPE html>")):
        target = tmp_path / name
        assert main(["render", "example:cubic", "-o", str(target)]) == 0
        assert target.read_bytes().startswith(start)
    assert main(["render", "example:cubic", "-T", "dot", "-o", str(tmp_path / "a.txt")]) == 0
    assert main(["render", "example:cubic", "-o", str(tmp_path / "b.txt")]) == 2


@needs_dot
def test_the_page_asks_nobody_for_anything(tmp_path: Path) -> None:
    target = tmp_path / "a.html"
    assert main(["render", "example:cubic", "-o", str(target)]) == 0
    html = target.read_text()
    addresses = set(re.findall(r"[a-z]+://[^\"' >]+", html))
    assert addresses == {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert not re.search(r"\b(src|href)=\"(?!#)", html)
    assert "default-src 'none'" in html
    if node := shutil.which("node"):
        script = html.split("<script>")[1].split("</script>")[0]
        (tmp_path / "p.js").write_text(script)
        subprocess.run([node, "--check", str(tmp_path / "p.js")], check=True)


def test_values_are_those_of_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["render", "example:cubic", "--values", "--set", "xs=-2,-1,0,1,2"]
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert "[10.0, 1.0, -2.0, 1.0, 10.0]" in text
    assert "[-4.0, 1.0, 0.0, -1.0, 4.0]" in text  # f(x)


def test_values_need_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", "example:worked", "--values"]) == 1
    assert "error[R601]" in capsys.readouterr().err


def test_values_of_a_program_without_effects(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "p.gir"
    path.write_text("%x = stage f32\n%y = mul %x %x\n")
    assert main(["render", str(path), "--values", "--set", "x=3"]) == 0
    assert ">9.0<" in capsys.readouterr().out


def test_only_a_name_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", "example:cubic", "--only", "dz"]) == 2
    assert "did you mean dy?" in capsys.readouterr().err
