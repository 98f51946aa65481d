"""Data that ships with the package."""
