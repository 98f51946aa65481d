"""What every room may use: the types, the errors, the registry, ids and files."""
