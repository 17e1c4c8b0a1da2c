"""Applications with their parameters, as an experiment names them."""


def works_of(text: str) -> list[tuple[str, list[str]]]:
    """Applications with NAME=VALUE of their parameters: `sgemm(size=256);alexnet`."""
    works = []
    for work in text.split(";"):
        application, _, parameters = work.removesuffix(")").partition("(")
        works.append((application, parameters.split(",") if parameters else []))
    return works
