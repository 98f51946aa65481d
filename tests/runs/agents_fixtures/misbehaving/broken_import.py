import a_package_that_nobody_has  # noqa: F401


def run(input, **kwargs):
    return {}
