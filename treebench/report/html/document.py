"""The page: one file with everything in it, which asks nothing of any network.

Its policy forbids whatever is not in the file: scripts and styles run by their hashes, and Vega
evaluates expressions by its own interpreter, so that nothing is compiled from text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treebench.report.html.curves_chart import curves_spec, looks
from treebench.report.html.markup import Markup, data, element, joined, script, style
from treebench.report.html.tables import rendered
from treebench.report.palette import DARK
from treebench.report.sections import head

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from treebench.analysis.overview import Overview
    from treebench.report.blocks import Block, Section
    from treebench.report.charts import Picture

PAGE_NAME = "index.html"
_HERE = Path(__file__).parent
_EXPLORER = "explore"
_HOMES = (
    ("frontier", "pick"),
    ("scaling-", "scaling"),
    ("time-by-", "against"),
    ("memory-by-n_jobs", "jobs"),
    ("memory-by-", "against"),
    ("memory-over-time", "timeline"),
    ("memory-split", "memory"),
    ("score-by-", "scores"),
    ("functions", "counters"),
    ("phases", "phases"),
    ("pareto", "pareto"),
    ("latency", "latency"),
)
"""In which part of the page a picture stands, by how its name begins."""
_PICTURED = {
    "pick": "The pick",
    "against": "Time and memory, side by side",
    "scores": "Scores",
    "timeline": "Memory over time",
    "scaling": "How cost grows",
    "jobs": "Trees in parallel",
    "memory": "Memory",
    "counters": "Counters",
    "phases": "Phases",
    "pareto": "Pareto front",
    "latency": "Latency",
}
_ORDER = (
    *("claims", "pick", "results", _EXPLORER, "scaling", "against", "pareto", "scores"),
    *("equal-score", "phases", "memory", "timeline", "latency", "counters", "bound", "profiles"),
    *("jobs", "failed", "failed-beside", "unsupported", "collapsed", "layouts", "unmeasured"),
    *("series", "machine", "versions", "settings", "config", "reading"),
)
_FOLDED = ("series", "versions", "settings", "config")
_NO_SCRIPT = "The charts and the sorting of tables need JavaScript, which is in this file."


@dataclass
class _Part:
    title: str
    blocks: list[Markup] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)


def document(
    run: Overview,
    parts: Sequence[Section],
    pictures: Sequence[Picture],
    explored: Mapping[str, Any] | None,
    csv_folder: str,
) -> str:
    """The page as HTML.

    `pictures` are drawn where they belong; `explored` is what `explorer` gives; `csv_folder` is
    the path, from the page, of the tables' files, with what their names begin with.
    """
    placed = _placed(parts, pictures, csv_folder)
    if explored is not None:
        placed[_EXPLORER] = _Part("Curves: any figure against any axis", [_controls()])
    kept = {name: placed[name] for name in dict.fromkeys([*_ORDER, *placed]) if name in placed}
    body = joined(
        [
            element("a", "Skip to the results", href="#results", class_="skip"),
            _header(run, csv_folder),
            element("div", _contents(kept), _main(kept), class_="sheet"),
        ]
    )
    sources = [vega(), *map(_source, _SCRIPTS)]
    return _whole(run.name, body, _embedded(pictures, explored), sources)


def _placed(
    parts: Sequence[Section], pictures: Sequence[Picture], csv_folder: str
) -> dict[str, _Part]:
    placed = {
        part.name: _Part(part.title, [rendered(block, csv_folder) for block in part.blocks])
        for part in parts
    }
    for picture in pictures:
        home = next((home for start, home in _HOMES if picture.name.startswith(start)), "against")
        placed.setdefault(home, _Part(_PICTURED[home])).pictures.append(picture)
    return placed


def plain_document(
    title: str, parts: Sequence[Section], pictures: Sequence[Picture], csv_folder: str
) -> str:
    """A page of several runs: sections with their contents, the pictures in the first of them."""
    placed = {
        part.name: _Part(part.title, [rendered(block, csv_folder) for block in part.blocks])
        for part in parts
    }
    first = next(iter(placed))
    placed[first].pictures.extend(pictures)
    body = joined(
        [
            element("a", "Skip to the results", href=f"#{first}", class_="skip"),
            element("header", theme_switch(), element("h1", title)),
            element("div", _contents(placed), _main(placed), class_="sheet"),
        ]
    )
    return _whole(title, body, _embedded(pictures, None), [vega(), *map(_source, _SCRIPTS)])


def _header(run: Overview, csv_folder: str) -> Markup:
    said = [rendered(block, csv_folder) for block in head(run)]
    return element("header", theme_switch(), element("h1", run.name), *said)


def theme_switch() -> Markup:
    """What chooses light or dark."""
    return element(
        "fieldset",
        element("legend", "Colours"),
        *(
            element(
                "label",
                element("input", type="radio", name="theme", value=name, checked=name == "auto"),
                f" {name}",
            )
            for name in ("auto", "light", "dark")
        ),
        class_="theme",
    )


def _contents(kept: Mapping[str, _Part]) -> Markup:
    links = [
        element("li", element("a", part.title, href=f"#{name}")) for name, part in kept.items()
    ]
    return element("nav", element("ul", *links), aria_label="contents")


def _main(kept: Mapping[str, _Part]) -> Markup:
    return element(
        "main",
        element("noscript", element("p", _NO_SCRIPT)),
        *(_section(name, part) for name, part in kept.items()),
    )


def _section(name: str, part: _Part) -> Markup:
    inside = joined([*(_figure(each) for each in part.pictures), *part.blocks])
    if name in _FOLDED:
        inside = element("details", element("summary", "Show"), inside)
    return element("section", element("h2", part.title), inside, id=name)


def _figure(picture: Picture) -> Markup:
    return element(
        "figure",
        element(
            "div",
            class_="chart",
            tabindex=0,
            role="img",
            aria_label=picture.caption,
            data_spec=f"spec-{picture.name}",
        ),
        element("figcaption", picture.caption),
    )


def _controls() -> Markup:
    """What chooses the curves; the page fills the choices in."""
    choices = [
        element("label", f"{title} ", element("select", id=f"{_EXPLORER}-{name}"))
        for name, title in (("figure", "Figure"), ("axis", "against"), ("place", "of"))
    ]
    scale = element(
        "select",
        *(element("option", each, value=each) for each in ("log", "linear")),
        id=f"{_EXPLORER}-scale",
    )
    return joined(
        [
            element(
                "div",
                *choices,
                element("label", "scale ", scale),
                element(
                    "label",
                    "series ",
                    element(
                        "input",
                        type="search",
                        id=f"{_EXPLORER}-filter",
                        placeholder="words, any of a|b, not: -word",
                    ),
                ),
                element(
                    "label",
                    element("input", type="checkbox", id=f"{_EXPLORER}-all"),
                    " all values of the other axes",
                ),
                class_="tools",
                id=f"{_EXPLORER}-tools",
            ),
            element("p", id=f"{_EXPLORER}-said", aria_live="polite"),
            element(
                "div",
                class_="chart",
                id=f"{_EXPLORER}-chart",
                tabindex=0,
                role="img",
                aria_label="the curves chosen; their figures are in the table below",
            ),
            element(
                "details",
                element("summary", "The figures of this chart as a table"),
                element(
                    "div",
                    id=f"{_EXPLORER}-table",
                    class_="wide",
                    tabindex=0,
                    role="region",
                    aria_label="figures of the chart",
                ),
            ),
        ]
    )


def _embedded(pictures: Sequence[Picture], explored: Mapping[str, Any] | None) -> list[Markup]:
    """Specs and values as data, which no browser runs."""
    held = [data(each.chart.to_dict(validate=False), f"spec-{each.name}") for each in pictures]
    held.append(data({"dark": DARK, **looks()}, "looks"))
    if explored is not None:
        layouts = dict.fromkeys(
            series["layout"] for axis in explored["axes"] for series in axis["series"]
        )
        held += [data(explored, "explored"), data(curves_spec(list(layouts)), "spec-curves")]
    return held


def charted_page(title: str, body: Markup, specs: Mapping[str, Mapping[str, Any]]) -> str:
    """A page of one's own making. `specs` are charts of Vega-Lite by name: each is drawn in the
    element whose `data-spec` is `spec-` and its name."""
    embedded = [data(spec, f"spec-{name}") for name, spec in specs.items()]
    embedded.append(data({"dark": DARK, **looks()}, "looks"))
    sources = [vega(), *map(_source, ("format.js", "tables.js", "charts.js"))]
    return _whole(title, body, embedded, sources)


def plain_page(title: str, blocks: Sequence[Block]) -> str:
    """A page of a few blocks, without charts; its tables sort and filter."""
    said = [rendered(block, "") for block in blocks]
    sources = [_source(name) for name in ("format.js", "tables.js")]
    return _whole(title, element("header", element("h1", title), *said), [], sources)


def _whole(title: str, body: Markup, embedded: Sequence[Markup], sources: Sequence[str]) -> str:
    sheet, sheet_hash = style(_source("page.css"))
    scripts = [script(each) for each in sources]
    hashes = " ".join(each_hash for _, each_hash in scripts) or "'none'"
    policy = (
        f"default-src 'none'; script-src {hashes}; style-src {sheet_hash}; img-src data:; "
        f"base-uri 'none'; form-action 'none'"
    )
    top = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{title}: treebench report"),
        sheet,
    )
    every = joined([body, *embedded, *(each for each, _ in scripts)])
    return "<!DOCTYPE html>\n" + element("html", top, element("body", every), lang="en") + "\n"


_SCRIPTS = ("format.js", "tables.js", "charts.js", "explore.js")


def _source(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


@cache
def vega() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, from the package that also renders PNG."""
    import vl_convert

    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return bundle
