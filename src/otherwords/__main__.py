"""`python -m otherwords`: starts the command line."""

from __future__ import annotations

from otherwords.cli import main

main()
