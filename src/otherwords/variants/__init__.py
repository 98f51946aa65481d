"""Items → candidate variants: the same problem in other words, in another form, with its options moved."""
