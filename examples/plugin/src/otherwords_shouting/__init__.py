"""Adds a variant family, a check and a metric to otherwords."""
