"""What records become for people: report.html of any of them, chart.svg of a study."""

from isthmus.report.chart import render_chart
from isthmus.report.material import Material, gather
from isthmus.report.page import render_report

__all__ = ["Material", "gather", "render_chart", "render_report"]
