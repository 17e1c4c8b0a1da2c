"""A headless Chromium that opens pages of this machine, and what it sees of them."""

import base64
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.remote.webelement import WebElement

# What a text lies on is the nearest ancestor that is painted; of a text in a plot, the bar under it or the page.
_CONTRASTS = """
const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
const rgb = text => {
  canvas.fillStyle = text;
  canvas.fillRect(0, 0, 1, 1);
  return canvas.getImageData(0, 0, 1, 1).data;
};
const luminance = text => {
  const [r, g, b] = [...rgb(text)].map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
};
const ground = element => {
  for (let at = element; at; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor;
    if (color !== 'rgba(0, 0, 0, 0)' && color !== 'transparent') return color;
  }
  return 'white';
};
const found = [];
for (const element of document.querySelectorAll('body *')) {
  const style = getComputedStyle(element);
  if (!element.checkVisibility() || element.closest('title, desc, defs')) continue;
  const told = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
  if (element.matches('svg text')) {
    const under = element.matches('.on-bar') ? getComputedStyle(element.previousElementSibling).fill : ground(element);
    found.push(['text', element.textContent, contrast(style.fill, under)]);
  } else if (told && !element.closest('svg')) {
    found.push(['text', element.textContent.trim().slice(0, 40), contrast(style.color, ground(element))]);
  } else if (element.matches('rect.bar, rect.step, .mark')) {
    found.push(['shape', element.getAttribute('class'), contrast(style.fill, ground(element))]);
  }
}
return found;
"""


class Browser:
    """A window whose width and colour scheme can be chosen."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, page: Path, width: int = 1600, scheme: str = "light") -> None:
        """Shows a page, all of its details folded out."""
        self._tell("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self._tell("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1, mobile=False)
        self.driver.get(page.as_uri())

    def unfold(self) -> None:
        """Folds all details out."""
        self.run("document.querySelectorAll('details').forEach(details => details.open = true)")

    def run(self, script: str, *arguments: Any) -> Any:
        """What a script returns that is not part of the page."""
        return self.driver.execute_script(script, *arguments)

    def texts(self, selector: str) -> list[str]:
        """The texts of the elements, shown or not."""
        found: list[str] = self.run(
            "return [...document.querySelectorAll(arguments[0])].map(one => one.textContent.trim())",
            selector,
        )
        return [" ".join(text.split()) for text in found]

    def contrasts(self) -> list[tuple[str, str, float]]:
        """`text` or `shape`, what it is, and its contrast with what it lies on, of everything that is shown."""
        found: list[tuple[str, str, float]] = self.run(_CONTRASTS)
        return found

    def check(self) -> None:
        """What holds of each page that is shown, whatever its width and colours."""
        assert self.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
        # WCAG 2.2, 1.4.3 and 1.4.11.
        assert [one for one in self.contrasts() if one[2] < (4.5 if one[0] == "text" else 3)] == []
        unnamed = "document.querySelectorAll('svg:not([role=img]):not(svg svg):not([aria-hidden=true])').length"
        assert self.run(f"return {unnamed}") == 0
        assert self.complaints() == []
        assert self.run("return performance.getEntriesByType('resource').length") == 0

    def check_nothing_ran(self) -> None:
        """What holds of each page whose records are full of markup."""
        self.unfold()
        assert self.run("return window.ran") is None
        assert self.run("return document.querySelectorAll('script, img, b, iframe').length") == 0
        assert self.complaints() == []

    def plots(self) -> list[tuple[str, str, int]]:
        """The title and the description of each plot, and the rows of the table with the same."""
        found: list[tuple[str, str, int]] = self.run(
            """const text = id => document.getElementById(id).textContent.trim();
               return [...document.querySelectorAll('svg[role=img]')].map(plot => [
                 ...plot.getAttribute('aria-labelledby').split(' ').map(text),
                 plot.closest('figure').querySelectorAll('table tbody tr').length])"""
        )
        return found

    def steps(self, plots: str, number: int = 0) -> list[tuple[float, float, float]]:
        """Where the steps of a plot begin and how long they are, in its widths, and how far below its top they lie."""
        found: list[tuple[float, float, float]] = self.run(
            """const plot = document.querySelectorAll(arguments[0])[arguments[1]];
               const origin = plot.getBoundingClientRect();
               return [...plot.querySelectorAll('.step')].map(e => {
                 const box = e.getBoundingClientRect();
                 return [(box.x - origin.x) / origin.width, e.width.baseVal.value / origin.width, box.y - origin.y];
               })""",
            plots,
            number,
        )
        return found

    def edges(self, element: WebElement) -> list[str]:
        """The colours of the page at the left and the right edge of an element, above its first text."""
        left, right, top = self.run(
            """const box = arguments[0].getBoundingClientRect();
               return [box.left + scrollX + 1, box.right + scrollX - 2, box.top + scrollY + 2];""",
            element,
        )
        return [self._color(x, top) for x in (left, right)]

    def _color(self, x: float, y: float) -> str:
        """What one point of the page looks like: the only pixel of a picture, which no filter of PNG changes."""
        clip = {"x": x, "y": y, "width": 1, "height": 1, "scale": 1}
        taken = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip})
        picture = base64.b64decode(taken["data"])
        start = picture.index(b"IDAT")
        size = int.from_bytes(picture[start - 4 : start], "big")
        return (
            f"rgb({', '.join(map(str, zlib.decompressobj().decompress(picture[start + 4 : start + 4 + size])[1:4]))})"
        )

    def complaints(self) -> list[Any]:
        """What the console has said since it was last asked."""
        return list(self.driver.get_log("browser"))  # type: ignore[no-untyped-call]

    def _tell(self, command: str, **values: Any) -> None:
        self.driver.execute_cdp_cmd(command, values)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Starts the browser, without a network."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    assert binary, "chromium: expected the package of scripts/packages-test.txt"
    assert driver, "chromedriver: expected the package of scripts/packages-test.txt"
    options = Options()
    options.binary_location = binary
    # Chromium refuses its sandbox to root, and some containers have a small /dev/shm.
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--proxy-server=127.0.0.1:9",
    ):
        options.add_argument(flag)
    started = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield Browser(started)
    finally:
        started.quit()
