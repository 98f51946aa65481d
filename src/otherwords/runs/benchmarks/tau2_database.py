"""A tau2 task → the same task, whose logs hold what changed in its database in place of all of it.

tau2 keeps its database in Inspect's store, which is copied, compared and written with each sample: seconds of
CPU and megabytes of log. Here the solver begins with a database there whose JSON form is a digest and
the records that differ from the ones it began with. Tools and scorers see the whole database, and its hash is
tau2's own. Nothing of tau2 is changed for other tasks of the process.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from inspect_ai import Task
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import Generate, Solver, TaskState
from inspect_ai.util import store, store_as
from pydantic import PrivateAttr, SerializerFunctionWrapHandler, model_serializer

FULL_LOG = "full_log"
"""The task argument that asks for tau2's own log."""
_TOOLS = {
    "airline": ("airline.AirlineAgentTools", "AirlineAgentTools", "AirlineTools"),
    "retail": ("retail.RetailAgentTools", "RetailAgentTools", "RetailTools"),
}
"""Module and class of a domain's tools, and tau2's name for theirs in the store."""
_EXPECTED = ":expected_db_"
"""In the names of what tau2's scorer leaves in the store: the database as it should be."""
Value = TypeVar("Value")


def with_small_log(task: Task, domain: str) -> Task:
    """The task with a database that is logged by what changed; other domains' are small, and stay.

    Inspect finds the logs of a run by the names of its solvers, so that the solver keeps its own. One that
    takes its place (`--solver`) begins with tau2's own database.

    Args:
        task: tau2's task, which is changed.
        domain: Of tau2, such as `airline`.
    """
    if domain not in _TOOLS:
        return task
    solve = task.solver
    assert not isinstance(solve, list)
    task.solver = _with_small_database(solve, domain)
    if task.scorer is not None:
        task.scorer = [_without_expected(one) for one in task.scorer]
    return task


def _with_small_database(solve: Solver, domain: str) -> Solver:
    """The solver, which begins with a database that is logged by what changed."""

    @functools.wraps(solve)
    async def begin(state: TaskState, generate: Generate) -> TaskState:
        module, name, instance = _TOOLS[domain]
        tools = store_as(_tau2(module, name), instance)
        if not tools.initialized:
            tools.initialized = True
            tools.db = _database(domain)
        return await solve(state, generate)

    setattr(begin, _MARK, True)
    return begin


def changes_only_the_log(solver: object) -> bool:
    """Whether `with_small_log` made a solver of another one: what is asked and scored is the same."""
    return getattr(solver, _MARK, False) is True


_MARK = "changes_only_the_log"


def _database(domain: str) -> Any:
    module, name, _ = _TOOLS[domain]
    kind = _tau2(module, name).model_fields["db"].annotation
    file = str(_tau2("utils", "TAU2_DATA_DIR") / "domains" / domain / "db.json.gz")
    database = _logged_by_changes(kind).model_validate(_loaded(_tau2("environment.db", "load_file"), file))
    database.begins()
    return database


@functools.cache
def _loaded(load: Callable[[str], dict[str, Any]], path: str) -> dict[str, Any]:
    """What is in the file; databases are made of it and do not change it."""
    return dict(load(path))


def _tau2(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"inspect_evals.tau2.{module}"), name)


class _Records(dict[str, Value]):
    """A table that knows which of its records may have changed: those that were fetched or set by key."""

    def __init__(self, records: dict[str, Value]) -> None:
        super().__init__(records)
        self.fetched: set[str] = set()

    def __getitem__(self, key: str) -> Value:
        self.fetched.add(key)
        return super().__getitem__(key)

    def __setitem__(self, key: str, value: Value) -> None:
        self.fetched.add(key)
        super().__setitem__(key, value)

    def __delitem__(self, key: str) -> None:
        self.fetched.add(key)
        super().__delitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self.fetched.add(key)
        return super().get(key, default)

    def pop(self, key: str, *default: Any) -> Any:
        self.fetched.add(key)
        return super().pop(key, *default)

    def peek(self, key: str) -> Value | None:
        """The record, without a note that it was fetched."""
        return super().get(key)


@functools.cache
def _logged_by_changes(kind: Any) -> Any:
    """A subclass of a database of tau2's, with a JSON form of its own."""

    class LoggedByChanges(kind):  # type: ignore[misc]
        _at_first: dict[str, dict[str, str]] = PrivateAttr(default_factory=dict)
        """Of each table a digest of each record."""

        def begins(self) -> None:
            """Take note of all records as they are now."""
            for table in self._tables():
                records = _Records(getattr(self, table))
                self.__dict__[table] = records
                self._at_first[table] = {key: _digest(record) for key, record in records.items()}

        def look_at_all(self) -> None:
            """Find also what changed in records that were reached in a loop and not by key."""
            for table in self._tables():
                records = getattr(self, table)
                records.fetched.update(records, self._at_first[table])
                records.fetched = {key for key, _ in self._changed_in(table)}

        def changed(self) -> dict[str, dict[str, Any]]:
            """By table, the records that differ from the first; None for one that is gone."""
            found = {table: dict(self._changed_in(table)) for table in self._tables()}
            return {table: records for table, records in found.items() if records}

        def get_hash(self) -> str:
            """tau2's own, of the whole database."""
            whole = kind.__pydantic_serializer__.to_python(self)
            return str(_tau2("utils", "get_dict_hash")(whole))

        def _tables(self) -> list[str]:
            return list(kind.model_fields)

        def _changed_in(self, table: str) -> Iterator[tuple[str, Any]]:
            records, first = getattr(self, table), self._at_first[table]
            for key in sorted(records.fetched):
                record = records.peek(key)
                now = None if record is None else _digest(record)
                if now != first.get(key):
                    yield key, None if record is None else record.model_dump(mode="json")

        @model_serializer(mode="wrap")
        def _as_changes(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
            changed = self.changed()
            text = json.dumps(changed, sort_keys=True)
            return {"changed": changed, "digest": hashlib.sha256(text.encode()).hexdigest()[:16]}

    return LoggedByChanges


def _digest(record: Any) -> str:
    return hashlib.sha256(record.model_dump_json().encode()).hexdigest()


def _without_expected(score: Scorer) -> Scorer:
    """The scorer; then the store loses the database as it should be, and tells all changes of the other."""

    @functools.wraps(score)
    async def scored(state: TaskState, target: Target) -> Score | None:
        try:
            return await score(state, target)
        finally:
            kept = store()
            for name in [name for name, _ in kept.items() if _EXPECTED in name]:
                kept.delete(name)
            for value in list(kept.values()):
                if hasattr(value, "look_at_all"):
                    value.look_at_all()

    return scored
