"""A page as one HTML file that needs nothing else: style, script and charts stand in it."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Callable
from importlib import resources

from analysis.report.blocks import Page, kind

VARIANTS = {"": "", "dark": "-dark", "narrow": "-narrow", "narrow_dark": "-narrow-dark"}
"""Forms of a chart, and what their files' names end with."""


def to_html(page: Page, svg: Callable[[str], bytes]) -> str:
    """Return a page as HTML.

    Parameters
    ----------
    page : Page
    svg : callable
        From the name of a chart's file, such as ``endings-dark``, to its SVG.

    Returns
    -------
    str
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
    from markupsafe import Markup, escape

    def inline(text: str) -> Markup:
        parts = [escape(part) for part in text.split("`")]
        marked = [Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts)]
        return Markup("").join(marked)

    def data(name: str, form: str) -> str:
        return "data:image/svg+xml;base64," + base64.b64encode(svg(name + VARIANTS[form])).decode()

    def part(name: str) -> Markup:
        return Markup(resources.files("analysis.report").joinpath("templates", name).read_text("utf-8"))

    environment = Environment(
        loader=PackageLoader("analysis.report", "templates"),
        autoescape=select_autoescape(("html",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    counter = itertools.count(1)
    environment.globals["number"] = lambda: next(counter)
    environment.filters |= {"inline": inline, "data": data, "kind": kind}
    return environment.get_template("page.html").render(
        page=page, style=part("page.css"), script=part("page.js")
    )
