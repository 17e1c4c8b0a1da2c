"""The report of a study: one self-contained HTML file."""

from isthmus.records import StudyFile
from isthmus.report.template import FOLDER, environment


def render_study(study: StudyFile, name: str) -> str:
    """The report of a study called `name` as HTML; every text of the study is escaped."""
    fastest = max((row.images_per_s for row in study.rows), default=0.0)
    platforms = {row.platform.sha256: row for row in study.rows if row.platform is not None}
    return (
        environment()
        .get_template("study.html.j2")
        .render(
            name=name,
            study=study,
            ranked=sorted(study.rows, key=lambda row: row.images_per_s, reverse=True),
            fastest=fastest,
            described=list(platforms.values()),
            style=(FOLDER / "style.css").read_text(encoding="utf-8"),
        )
    )
