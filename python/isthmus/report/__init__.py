"""Records for people: report.html of any records, chart.svg of a study."""

from isthmus.report.chart import render_chart
from isthmus.report.contents import ReportContents, gather
from isthmus.report.page import render_report

__all__ = ["ReportContents", "gather", "render_chart", "render_report"]
