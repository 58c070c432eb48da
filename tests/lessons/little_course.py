"""A course of three small exercises, written into a folder, for tests of the grader."""

from __future__ import annotations

from pathlib import Path

_QUESTIONS = """
[[question]]
id = "q1"
kind = "single"
text = "What is twice three?"
choices = { a = "five", b = "six" }
answer = "b"
feedback = { a = "That is three and two." }
explain = "Two threes."

[[question]]
id = "q2"
kind = "shape"
text = "The shape of x?"
answer = [3]
feedback = { default = "Count the elements." }
explain = "One axis."
"""

_LESSON = """\
id = "{id}"
title = "{title}"
kind = "{kind}"
concepts = ["small things"]
requires = [{requires}]
minutes = 5
points = 2
hints = ["A nudge.", "A step.", "Nearly."]
reveal = "after:3"
time_limit = 1.0
starter_message = "{starter}"
{more}
"""

DOUBLE = {
    "lesson.toml": _LESSON.format(
        id="one.double",
        title="Double",
        kind="gir",
        requires="",
        starter="output y",
        more='[constraints]\nrequire_ops = ["mul"]\nmax_nodes = 12',
    ),
    "lesson.md": "# Double\n\nTwice a number.\n\n![The graph](figure.svg)\n\n"
    "```gir\n%x = stage f32[3]\noutput %x\n```\n\n## Your task\n\nDouble `x` & give it as `y`.\n",
    "figure.gir": '%x = stage f32[3]\noutput (mul %x %x) name="square"\n',
    "questions.toml": _QUESTIONS,
    "explain.md": "Because *two* times is twice.\n",
    "starter.gir": '%x = stage f32[3]\noutput (mul %x 1.0) name="y"\n',
    "solution.gir": '%x = stage f32[3]\noutput (mul %x 2.0) name="y"\n',
    "wrong/half.gir": '# expect: output y\n%x = stage f32[3]\noutput (mul %x 0.5) name="y"\n',
    "wrong/sum.gir": '# expect: asks for `mul`\n%x = stage f32[3]\noutput (add %x %x) name="y"\n',
    "tests.toml": """
[[case]]
name = "small"
kind = "run"
why = "by hand"
set = { x = [1, 2, 3] }
expect = { y = ["0x1.0p+1", 4.0, 6.0] }

[[case]]
name = "random"
kind = "equiv"
hidden = true
points = 3
why = "random numbers"
seeds = [1, 2]
""",
}

SLOPE = {
    "lesson.toml": _LESSON.format(
        id="one.slope",
        title="Slope",
        kind="gir",
        requires='"one.double"',
        starter="output dx",
        more="",
    ),
    "lesson.md": "A slope.\n\n## Your task\n\nGive the gradient.\n",
    "questions.toml": _QUESTIONS,
    "explain.md": "The rule of `mul`.\n",
    "starter.gir": "%x = stage f32[3]\n%dx = mul %x 0.0\noutput %dx\n",
    "solution.gir": "%x = stage f32[3]\n%y = reduce (mul %x %x) op=add\n"
    "%dx = gradient %y %x\noutput %dx\n",
    "wrong/detached.gir": "# expect: half of what is expected\n%x = stage f32[3]\n"
    "%y = reduce (mul %x (detach %x)) op=add\n%dx = gradient %y %x\noutput %dx\n",
    "wrong/by_hand.gir": "# expect: no `gradient`\n%x = stage f32[3]\n"
    "%dx = mul 2.0 %x\noutput %dx\n",
    "tests.toml": """
[[case]]
name = "small"
kind = "run"
why = "by hand"
set = { x = [1, 2, 3] }
expect = { dx = [2, 4, 6] }

[[case]]
name = "against differences"
kind = "gradcheck"
why = "finite differences"

[[case]]
name = "one product"
kind = "structure"
hidden = true
why = "how large"
at_most = { mul = 4 }
""",
}

TWICE = {
    "lesson.toml": _LESSON.format(
        id="one.twice",
        title="Twice",
        kind="python",
        requires="",
        starter="twice",
        more="",
    ),
    "lesson.md": "Twice, in Python.\n\n## Your task\n\nWrite `twice`.\n",
    "questions.toml": _QUESTIONS,
    "explain.md": "A list.\n",
    "starter.py": "def twice(xs):\n    return xs\n",
    "solution.py": "def twice(xs):\n    return [2 * x for x in xs]\n",
    "wrong/first.py": "# expect: expected [2.0, 4.0]\n\n\ndef twice(xs):\n    return [2 * xs[0]]\n",
    "wrong/raises.py": "# expect: TypeError\n\n\ndef twice(xs):\n    return xs + 1\n",
    "tests.toml": """
[[case]]
name = "two numbers"
kind = "python"
why = "by hand"
call = "twice"
args = [[1.0, 2.0]]
expect = [2.0, 4.0]

[[case]]
name = "checked"
kind = "python"
why = "every element"
call = "twice"
args_py = "[[k * 0.5 for k in range(5)]]"
check = "doubled"

[[case]]
name = "none"
kind = "python"
hidden = true
why = "an empty list"
call = "twice"
args = [[]]
expect = []
""",
    "checks.py": "def doubled(value, args):\n"
    "    wanted = [2 * x for x in args[0]]\n"
    '    return None if value == wanted else f"is not {wanted}"\n',
}

EXERCISES = {"01-double": DOUBLE, "02-slope": SLOPE, "03-twice": TWICE}


def write_course(folder: Path) -> Path:
    """The course in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "course.toml").write_text('title = "Little"\npass = 0.7\nunits = ["01-one"]\n')
    names = ", ".join(f'"{name}"' for name in EXERCISES)
    write(
        folder / "01-one", {"unit.toml": f'title = "One"\nsummary = "s"\nexercises = [{names}]\n'}
    )
    for name, files in EXERCISES.items():
        write(folder / "01-one" / name, files)
    return folder


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
