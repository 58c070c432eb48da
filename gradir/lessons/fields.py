"""Reading the fields of a TOML table: every value is checked, every mistake is collected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gradir.text.diagnostics import did_you_mean

_REQUIRED: Any = object()


class Fields:
    """A table whose fields are taken one by one; `end` complains of what nobody took."""

    def __init__(
        self, given: Mapping[str, Any], where: str, problems: list[str] | None = None
    ) -> None:
        self.given, self.where = given, where
        self.problems: list[str] = [] if problems is None else problems
        self._taken: set[str] = set()

    def problem(self, text: str) -> None:
        self.problems.append(f"{self.where}: {text}")

    def _take(self, name: str, default: Any, fallback: Any, what: str, fits: Any) -> Any:
        self._taken.add(name)
        if name not in self.given:
            if default is _REQUIRED:
                self.problem(f"{name} is missing")
                return fallback
            return default
        value = self.given[name]
        if not fits(value):
            self.problem(f"{name} is to be {what}")
            return fallback
        return value

    def text(self, name: str, default: Any = _REQUIRED) -> str:
        taken: str = self._take(name, default, "", "a text", lambda v: isinstance(v, str))
        return taken

    def choice(self, name: str, among: Sequence[str]) -> str:
        value = self.text(name)
        if value and value not in among:
            self.problem(f"{name} is one of {', '.join(among)}, not {value}")
        return value

    def texts(self, name: str, default: Any = _REQUIRED) -> Sequence[str]:
        def fits(value: Any) -> bool:
            return isinstance(value, list) and all(isinstance(item, str) for item in value)

        taken: Sequence[str] = self._take(name, default, [], "a list of texts", fits)
        return taken

    def number(self, name: str, default: Any = _REQUIRED) -> float:
        def fits(value: Any) -> bool:
            return isinstance(value, int | float) and not isinstance(value, bool)

        return float(self._take(name, default, 0.0, "a number", fits))

    def count(self, name: str, default: int | None) -> int | None:
        def fits(value: Any) -> bool:
            return isinstance(value, int) and not isinstance(value, bool) and value >= 0

        taken: int | None = self._take(name, default, default, "a count", fits)
        return taken

    def flag(self, name: str, default: bool) -> bool:
        return bool(
            self._take(name, default, default, "true or false", lambda v: isinstance(v, bool))
        )

    def any(self, name: str, default: Any = None) -> Any:
        return self._take(name, default, default, "anything", lambda v: True)

    def table(self, name: str) -> Fields:
        given = self._take(name, {}, {}, "a table", lambda v: isinstance(v, dict))
        return Fields(given, f"{self.where} [{name}]", self.problems)

    def tables(self, name: str) -> Iterator[Fields]:
        def fits(value: Any) -> bool:
            return isinstance(value, list) and all(isinstance(item, dict) for item in value)

        for at, given in enumerate(self._take(name, [], [], f"[[{name}]] tables", fits), 1):
            label = given.get("name") or given.get("id") or at
            yield Fields(given, f"{self.where} {name} {label}", self.problems)

    def unknown(self, known: set[str]) -> None:
        """Complain of fields that are not known."""
        self._taken |= known
        for name in self.given:
            if name not in known:
                hint = did_you_mean(name, known)
                self.problem(f"unknown field {name}" + (f": did you mean {hint}?" if hint else ""))

    def end(self) -> None:
        for name in self.given:
            if name not in self._taken:
                hint = did_you_mean(name, self._taken)
                self.problem(f"unknown field {name}" + (f": did you mean {hint}?" if hint else ""))
