"""Pages in a real browser: what only it can tell of scripts, images, widths and colours."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analysis.experiment.experiment import Experiment
from analysis.report.write import report

pytestmark = pytest.mark.browser

REQUIRED = "GINLAB_REQUIRE_BROWSER"
"""Where this is set a missing browser is a failure."""

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
AA = 4.5
"""Contrast of text, WCAG 2.2 level AA."""

RUNS = {
    "grid": """
        title = "Knock <threshold> & bonus"
        question = "Does it?"
        seed = 5
        pairs = 256
        [strategies]
        a = "threshold({k})"
        b = "simple"
        [rules]
        base = "eaai"
        [axes]
        k = [0, 5, 10]
        undercut_bonus = [0, 10, 25]
        """,
    "rules": """
        title = "Rules"
        seed = 5
        pairs = 256
        [strategies]
        a = "gold"
        b = "simple"
        [axes]
        base = ["default", "bga", "hollywood_scarne150", "straight_gin"]
        """,
    "single": """
        title = "One match"
        seed = 5
        pairs = 512
        [strategies]
        a = "two_stage(early=10, late=4, switch=6)"
        b = "simple"
        """,
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        if os.environ.get(REQUIRED):
            pytest.fail(f"{REQUIRED} is set, but there is no Chromium, or playwright is not installed")
        pytest.skip("no Chromium, or playwright is not installed")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield chromium
        chromium.close()


@pytest.fixture(scope="module", params=list(RUNS))
def page_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    return report(Experiment.from_text(RUNS[request.param]).run(), folder).html


@pytest.fixture(params=[(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")], ids=str)
def page(browser: Any, page_file: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Open a page; no error of script or console may come while a test looks at it, and no request go out."""
    width, scheme = request.param
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    opened = context.new_page()
    problems: list[str] = []
    opened.on("console", lambda message: problems.append(message.text))
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("request", lambda asked: problems.append(asked.url) if _goes_out(asked.url) else None)
    opened.goto(page_file.as_uri())
    opened.width, opened.scheme = width, scheme
    yield opened
    context.close()
    assert problems == []


def _goes_out(url: str) -> bool:
    return not url.startswith(("file:", "data:"))


def test_all_images_are_shown_and_told(page: Any) -> None:
    images = page.evaluate(
        """() => Promise.all(Array.from(document.images).map(async (image) => {
            await image.decode();
            const box = image.getBoundingClientRect();
            return [image.naturalWidth, box.width, box.height, image.alt, image.currentSrc.length];
        }))"""
    )
    assert len(images) >= 5
    for natural, width, height, alt, source in images:
        assert natural > 0 and source > 1000
        assert width >= min(300, page.width - 40) and height > 60
        assert len(alt) > 30


def test_nothing_is_wider_than_the_page(page: Any) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= page.width
    for summary in page.query_selector_all("summary"):
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= page.width
    outside = page.evaluate(
        """() => Array.from(document.querySelectorAll("h1,h2,h3,p,li,dd,pre,figure,img")).filter((one) => {
            const box = one.getBoundingClientRect();
            return box.width > 0 && (box.right > innerWidth + 0.5 || box.left < -0.5);
        }).map((one) => one.textContent.slice(0, 40))"""
    )
    assert outside == []


def luminance(colour: str) -> float:
    channels = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dim, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dim + 0.05)


def test_text_is_read_on_its_ground_in_both_schemes(page: Any) -> None:
    paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert (luminance(paper) < 0.1) == (page.scheme == "dark")
    colours = page.evaluate(
        """() => {
            const ground = (one) => {
                for (let at = one; at; at = at.parentElement) {
                    const colour = getComputedStyle(at).backgroundColor;
                    if (colour !== "rgba(0, 0, 0, 0)") return colour;
                }
                return null;
            };
            const told = new Map();
            const texts = "h1,h2,h3,p,li,a,dt,dd,td,th,button,code,span,figcaption,summary";
            for (const one of document.querySelectorAll(texts)) {
                if (!one.textContent.trim()) continue;
                const pair = [getComputedStyle(one).color, ground(one)];
                told.set(pair.join(), [...pair, one.tagName + " " + one.className]);
            }
            return Array.from(told.values());
        }"""
    )
    assert len(colours) >= 3
    for ink, ground, where in colours:
        assert contrast(ink, ground) >= AA, (where, ink, ground)


def test_charts_follow_the_scheme(page: Any, page_file: Path) -> None:
    """The ground of every chart is that of the page: its first pixel is looked at."""
    grounds = page.evaluate(
        """() => Promise.all(Array.from(document.images).map(async (image) => {
            await image.decode();
            const canvas = document.createElement("canvas");
            canvas.width = canvas.height = 4;
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            return Array.from(context.getImageData(1, 1, 1, 1).data).slice(0, 3).join(", ");
        }))"""
    )
    paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert {f"rgb({ground})" for ground in grounds} == {paper}


def columns(page: Any, at: int) -> list[float]:
    values = page.evaluate(
        """(at) => Array.from(document.querySelector("#cells table.sortable").tBodies[0].rows)
            .map((row) => row.cells[at].dataset.value ?? row.cells[at].textContent)""",
        at,
    )
    return [float(value) for value in values]


def test_tables_are_sorted_by_click_and_by_key(page: Any, page_file: Path) -> None:
    headers = page.query_selector_all("#cells table.sortable th")
    if not headers:
        assert "One match" in page.title()
        return
    texts = [header.inner_text() for header in headers]
    at = next(place for place, text in enumerate(texts) if text.startswith("points a hand"))
    button = headers[at].query_selector("button")
    before = columns(page, at)
    assert before not in (sorted(before), sorted(before, reverse=True))
    button.click()
    assert columns(page, at) == sorted(before)
    assert [header.get_attribute("aria-sort") for header in headers].count("ascending") == 1
    assert headers[at].get_attribute("aria-sort") == "ascending"
    button.focus()
    page.keyboard.press("Enter")
    assert columns(page, at) == sorted(before, reverse=True)
    assert headers[at].get_attribute("aria-sort") == "descending"
    headers[0].query_selector("button").focus()
    page.keyboard.press("Space")
    assert headers[at].get_attribute("aria-sort") == "none"
    assert headers[0].get_attribute("aria-sort") == "ascending"


def test_tables_that_scroll_are_reached_by_key(page: Any) -> None:
    boxes = page.evaluate(
        """() => Array.from(document.querySelectorAll("table")).map((table) => {
            const box = table.parentElement;
            return [box.tabIndex, box.getAttribute("role"),
                document.getElementById(box.getAttribute("aria-labelledby")).textContent.length,
                getComputedStyle(box).overflowX];
        })"""
    )
    assert boxes
    for tab, role, name, overflow in boxes:
        assert (tab, role, overflow) == (0, "region", "auto")
        assert name > 0


def test_the_page_prints(browser: Any, page_file: Path, tmp_path: Path) -> None:
    """Printed in the dark scheme it is dark on light, and nothing is cut at the right."""
    context = browser.new_context(color_scheme="dark", viewport={"width": 700, "height": 900})
    page = context.new_page()
    page.goto(page_file.as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    assert luminance(page.evaluate("getComputedStyle(document.documentElement).backgroundColor")) > 0.9
    assert luminance(page.evaluate("getComputedStyle(document.body).color")) < 0.1
    light = page.evaluate(
        "Array.from(document.images).every((image) => image.currentSrc === image.getAttribute('src'))"
    )
    assert light
    printed = page.pdf(format="A4")
    assert printed.startswith(b"%PDF") and len(printed) > 10_000
    context.close()
