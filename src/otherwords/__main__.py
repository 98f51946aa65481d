"""`python -m otherwords`: the command line."""

from __future__ import annotations

from otherwords.cli import main

main()
