"""The report: one self-contained HTML file of whatever records there are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from isthmus.base.texts import dump
from isthmus.hpcc.scaling_tables import table as scale_table
from isthmus.hpcc.scaling_tables import verdicts as scale_verdicts
from isthmus.report.advice import advised, insights_of
from isthmus.report.benchmarks import runs_of
from isthmus.report.contents import ReportContents
from isthmus.report.curves import HEIGHT, Panel, best_copies, curve_panels, effective_panel, legend
from isthmus.report.figures import figure_panels, tables_of
from isthmus.report.recording import recording_sections
from isthmus.report.replications import replications
from isthmus.report.scaling import scaling_panels
from isthmus.report.template import environment
from isthmus.report.timeline import timelines
from isthmus.report.waterfall import waterfalls
from isthmus.reproduction.insights import InsightFindings, judge, read_insights
from isthmus.reproduction.tables import held_out_table, score_table
from isthmus.show.output import Table
from isthmus.show.probe_tables import details_table, name_of
from isthmus.show.tables import records_table
from isthmus.show.wrong import wrong_lines

# The records that a verdict also mentions.
JUDGED = ("best_copies", "runs", "scale_verdicts", "recorded")


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    id: str
    heading: str


def render_report(contents: ReportContents) -> str:
    """The page as HTML; every text of the records is escaped, and a section without content is left out."""
    panels = curve_panels(contents.probes)
    scaling = scaling_panels(contents.scale)
    content: dict[str, Any] = {
        "wrong": wrong_lines(contents.rows),
        "best_copies": best_copies(contents.probes),
        "panels": panels,
        "effective": effective_panel(contents.probes),
        "legend": legend(panels),
        "advised": [advised(one) for one in contents.advices],
        "timelines": timelines(contents.ranked(), len(contents.works()) > 1, contents.flow_of),
        "recorded": recording_sections(contents.recordings),
        "waterfalls": waterfalls(contents.probes),
        "other_probes": _others(contents, panels),
        "others": records_table([dump(record) for record in contents.others]),
        "runs": runs_of(contents.hpcc),
        "runs_of_scaling": runs_of(contents.scaled),
        "replications": replications([*contents.hpcc, *contents.scaled]),
        "scaling": scaling,
        "scaling_legend": legend(scaling),
        "scale_table": scale_table(contents.scale),
        "scale_verdicts": scale_verdicts(contents.scale),
        "score_table": score_table(contents.score),
        "held_out": held_out_table(contents.held_out),
        "figures": figure_panels(contents.figures),
        "tables_of_papers": tables_of(contents.papers),
        "insights": _insights(contents),
    }
    sections, template = _sections(contents, content), environment().get_template("report.html.j2")
    return template.render(contents=contents, sections=sections, works=contents.works(), height=HEIGHT, **content)


def _insights(contents: ReportContents) -> list[InsightFindings]:
    """The findings from rows of papers, and from an advice itself; none without either."""
    if not contents.papers and not contents.advices:
        return []
    tested = [insights_of(one) for one in contents.advices]
    return [
        replace(
            one,
            findings=[
                *(found[key] for found in tested if (key := (one.insight.paper, one.insight.number)) in found),
                *one.findings,
            ],
        )
        for one in judge(read_insights(), contents.papers)
    ]


def _sections(contents: ReportContents, content: Mapping[str, Any]) -> list[Section]:
    judged = any(content[name] for name in JUDGED)
    explained = any(finding.told for one in content["insights"] for finding in one.findings)
    every = (
        ("verdict", "Verdict", contents.rows or contents.score or judged),
        ("advice", "Which board, and which flow", content["advised"]),
        ("scaling", "Speed-up over ranks", contents.scale),
        ("benchmarks", "HPC Challenge", contents.hpcc or contents.scaled),
        ("replications", "Start and end of each replication", content["replications"]),
        ("results", "Targets and flows", contents.rows),
        ("flows", "Rate by flow", contents.rows),
        ("where", "Where the time goes", any(row.stages for row in contents.rows)),
        ("stalls", "Stalls", any(row.parts for row in contents.rows)),
        ("timeline", "The first of each run", content["timelines"]),
        ("recorded", "Recorded programs", content["recorded"]),
        ("curves", "Bandwidth against payload", content["panels"]),
        ("waterfall", "From advertised to end to end", content["waterfalls"]),
        ("probes", "Latencies and other probes", content["other_probes"].rows),
        ("others", "Other records", contents.others),
        ("figures", "The papers' figures, drawn again", content["figures"]),
        ("papers", "Against the papers", contents.papers or contents.held_out),
        ("insights", "Insights of the papers", explained),
        ("inputs", "What the models were given", contents.described()),
        ("limits", "What the models do not know", contents.limits()),
        ("made", "How this was made", contents.sources),
    )
    return [Section(id_, heading) for id_, heading, shown in every if shown]


def _others(contents: ReportContents, panels: Sequence[Panel]) -> Table:
    """The records that neither a curve nor a waterfall shows."""
    drawn = {panel.name for panel in panels}
    kept = [
        one for one in contents.probes if "step" not in one.parameters and not (name_of(one) in drawn and one.value > 0)
    ]
    return details_table(kept)
