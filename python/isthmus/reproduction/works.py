"""Applications with their parameters, as an experiment names them, and the stages of their runs."""

from isthmus.base.names import unknown
from isthmus.records.run import Row


def works_of(text: str) -> list[tuple[str, list[str]]]:
    """Applications with NAME=VALUE of their parameters: `sgemm(size=256);alexnet`."""
    works = []
    for work in text.split(";"):
        application, _, parameters = work.removesuffix(")").partition("(")
        works.append((application, parameters.split(",") if parameters else []))
    return works


def stage_s(row: Row, name: str) -> float:
    """Seconds of a stage of a run."""
    for stage in row.stages:
        if stage.name == name:
            return stage.time_s
    raise unknown("stage", name, [stage.name for stage in row.stages], f"{row.target} {row.flow}")
