"""The command line. Each command is one file and imports what is heavy only when it runs."""

from __future__ import annotations

import sys


def main(args: list[str] | None = None) -> None:
    """Run a command; end with 0 (fine), 1 (a gate failed) or 2 (bad input), without a traceback."""
    from otherwords.cli.app import app
    from otherwords.core.errors import OtherwordsError

    try:
        app.main(args=args, prog_name="otherwords")
    except OtherwordsError as error:
        from otherwords.cli.console import print_error

        print_error(str(error))
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except (OSError, MemoryError) as error:  # a full disk, a folder that may not be written to
        from otherwords.cli.console import print_error

        print_error(_told(error))
        sys.exit(2)


def _told(error: OSError | MemoryError) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory for this"
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error or type(error).__name__}"
