"""What a study writes for people: report.html and chart.svg."""

from isthmus.report.chart import render_chart
from isthmus.report.page import render_study

__all__ = ["render_chart", "render_study"]
