"""Errors that `inspect eval`, being a click program, prints as one message without a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from otherwords.core.errors import InputError, MissingDependencyError


class ModelInputError(InputError, click.ClickException):
    def __init__(self, error: InputError) -> None:
        InputError.__init__(
            self, error.problem, file=error.file, line=error.line, item=error.item, hint=error.hint
        )
        click.ClickException.__init__(self, str(error))


class ModelMissingError(MissingDependencyError, click.ClickException):
    def __init__(self, error: MissingDependencyError) -> None:
        MissingDependencyError.__init__(self, error.need, error.command)
        click.ClickException.__init__(self, str(error))


@contextmanager
def told_as_one_message() -> Iterator[None]:
    try:
        yield
    except InputError as error:
        raise ModelInputError(error) from error
    except MissingDependencyError as error:
        raise ModelMissingError(error) from error
