"""A student's folder and what has been reached in it: `.gradir/progress.json`.

The file is replaced in one step. A damaged one is put aside, never overwritten. A lesson whose
content has changed since it was passed is stale: it counts still, and is marked.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gradir.lessons.course import Course, Lesson
from gradir.lessons.outcome import LessonResult
from gradir.runtime.files import write_atomically
from gradir.text.diagnostics import error

FOLDER, FILE = ".gradir", "progress.json"
VERSION = 1
NEW, STARTED, PASSED, STALE = "new", "started", "passed", "stale"


@dataclass
class Entry:
    """What is known of one lesson. `content` is its hash when it was passed."""

    passed: bool = False
    score: float = 0.0
    content: str = ""
    failures: int = 0  # checks that did not pass
    hints: int = 0
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    solution_seen: bool = False


class Workspace:
    """A student's folder with its progress."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.entries: dict[str, Entry] = {}
        self.course: str | None = None  # the folder that --course named at the start
        self.aside: Path | None = None  # where a damaged progress file was put

    @property
    def file(self) -> Path:
        return self.folder / FOLDER / FILE

    @classmethod
    def find(cls, stated: str | None) -> Workspace:
        """The folder stated, or this one or the nearest above it that has been started."""
        start = Path(stated) if stated is not None else Path.cwd()
        for folder in (start,) if stated is not None else (start, *start.resolve().parents):
            if (folder / FOLDER / FILE).is_file():
                workspace = cls(folder)
                workspace.load()
                return workspace
        raise error(
            "U701",
            f"{start} is no folder of exercises",
            help="`gradir lessons init` makes one here; --dir DIR names one elsewhere",
        )

    def load(self) -> None:
        try:
            data = json.loads(self.file.read_text(encoding="utf-8"))
            stated = data.get("course")
            self.course = stated if isinstance(stated, str) else None
            known = set(Entry.__dataclass_fields__)
            self.entries = {
                str(id): Entry(**{key: row[key] for key in known & set(row)})
                for id, row in data["lessons"].items()
            }
            if not all(_sound(entry) for entry in self.entries.values()):
                raise ValueError("a value of another type")
        except OSError as problem:
            raise error("U701", f"cannot read {self.file}: {problem.strerror}") from None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self.entries = {}
            self.aside = _free(self.file.with_suffix(".damaged"))
            os.replace(self.file, self.aside)
            self.save()

    def save(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        lessons = {id: asdict(entry) for id, entry in sorted(self.entries.items())}
        data = {"version": VERSION, "course": self.course, "lessons": lessons}
        text = json.dumps(data, indent=1) + "\n"
        write_atomically(str(self.file), text.encode("utf-8"))

    def entry(self, lesson: Lesson) -> Entry:
        return self.entries.setdefault(lesson.id, Entry())

    def path(self, lesson: Lesson) -> Path:
        return self.folder / lesson.work_file

    # --- what happened ------------------------------------------------------------------

    def record(self, lesson: Lesson, result: LessonResult) -> None:
        """A check's result: the best score counts, and a pass stays one."""
        entry = self.entry(lesson)
        entry.score = max(entry.score, result.score)
        if result.passed:
            entry.passed, entry.content = True, lesson.content
        elif not result.missing:
            entry.failures += 1
        self.save()

    def status(self, lesson: Lesson) -> str:
        entry = self.entries.get(lesson.id)
        if entry is None:
            return NEW
        if entry.passed:
            return PASSED if entry.content == lesson.content else STALE
        return STARTED if entry.failures or entry.answers or entry.hints else NEW

    def next(self, course: Course) -> Lesson | None:
        """The first lesson that is not passed."""
        for lesson in course.lessons:
            if self.status(lesson) not in (PASSED, STALE):
                return lesson
        return None

    def may_see_solution(self, lesson: Lesson) -> str | None:
        """None where the solution may be shown, else what is still to be done."""
        entry = self.entry(lesson)
        if entry.passed:
            return None
        if lesson.reveal == "pass":
            return "it is shown once your own answer passes"
        needed = int(lesson.reveal.removeprefix("after:"))
        left = needed - entry.failures
        if left <= 0:
            return None
        return f"it is shown once your answer passes, or after {left} more tries that do not"

    def reset(self, lesson: Lesson) -> Path | None:
        """Put the starter back; the backup of what was there, if there was anything."""
        path = self.path(lesson)
        backup = None
        if path.exists():
            backup = _free(path.with_name(path.name + ".bak"))
            os.replace(path, backup)
        copy_starter(lesson, path)
        return backup


def copy_starter(lesson: Lesson, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(lesson.starter, path)


def create(folder: Path, course: Course, stated: str | None) -> tuple[Workspace, int]:
    """Start a folder, or add to it what it lacks; the number of files that were made.

    `stated` is the course's folder where it is not gradir's own: it is remembered.
    """
    made = 0
    workspace = Workspace(folder)
    try:
        if workspace.file.is_file():
            workspace.load()
        if stated is not None:
            workspace.course = str(Path(stated).resolve())
        workspace.save()
        for lesson in course.lessons:
            path = workspace.path(lesson)
            if not path.exists():
                copy_starter(lesson, path)
                made += 1
    except OSError as problem:
        name = problem.filename or folder
        raise error("U703", f"cannot write {name}: {problem.strerror or problem}") from None
    return workspace, made


def _sound(entry: Entry) -> bool:
    return (
        isinstance(entry.passed, bool)
        and isinstance(entry.score, int | float)
        and isinstance(entry.content, str)
        and isinstance(entry.failures, int)
        and isinstance(entry.hints, int)
        and isinstance(entry.answers, dict)
    )


def _free(path: Path) -> Path:
    """The path, or with a number where it is taken."""
    number, free = 1, path
    while free.exists():
        free, number = path.with_name(f"{path.name}.{number}"), number + 1
    return free
