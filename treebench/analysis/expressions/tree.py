"""An expression as a tree: read from text, and nothing but arithmetic, figures and numbers.

`fit_time(hist)` is a figure of the cells called hist. The last argument of a call always names
cells; those before it go into the figure's name, so that `score(auc, hist)` is the figure
`score:auc` and `misses_in(fit, EnumerateSplit, exact)` is `misses_in:fit:EnumerateSplit`.
`exponent(fit_time, rows, hist)` is how a figure grows along an axis. `range(score, auc, hist)`,
`spread(fit_time, hist)` and `first_sample(fit_time, hist)` speak of all cells called together, see
`over_cells`. Cells are called by a word, or
in quotes by conditions as `--only` takes them: `fit_time("trainer=lightgbm, rows=80000")`.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Literal

from treebench.analysis.figures import figure_named
from treebench.errors import ConfigError

Comparison = Literal["<", "<=", ">", ">="]
Operator = Literal["+", "-", "*", "/"]

_OPERATORS: dict[type[ast.operator], Operator] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
}
_COMPARISONS: dict[type[ast.cmpop], Comparison] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
How = Literal["range", "spread", "first_sample"]

_HOWS: dict[str, How] = {"range": "range", "spread": "spread", "first_sample": "first_sample"}
_EXPONENT_ARGUMENTS = 3
_LONGEST = 1000


@dataclass(frozen=True)
class Number:
    """A number as it is written."""

    value: float


@dataclass(frozen=True)
class FigureOf:
    """A figure of the cells that `cells` calls."""

    figure: str
    cells: str


@dataclass(frozen=True)
class ExponentOf:
    """The exponent c of a + b x^c for a figure along an axis of the cells."""

    figure: str
    axis: str
    cells: str


@dataclass(frozen=True)
class OverCells:
    """What all cells that `cells` calls show together of a figure; see `over_cells`."""

    how: How
    figure: str
    cells: str


@dataclass(frozen=True)
class Arithmetic:
    """Two values put together."""

    operator: Operator
    left: Term
    right: Term


Leaf = FigureOf | ExponentOf | OverCells
Term = Number | Leaf | Arithmetic


@dataclass(frozen=True)
class Expectation:
    """A comparison of two terms."""

    left: Term
    comparison: Comparison
    right: Term


def read_term(text: str) -> Term:
    """The tree of a term such as `fit_time(exact) / fit_time(hist)`.

    Raises:
        ConfigError: it cannot be read; the message shows where.
    """
    return _term(_parsed(text), text)


def read_expectation(text: str) -> Expectation:
    """The tree of a comparison such as `fit_time(hist) < 0.3 * fit_time(exact)`.

    Raises:
        ConfigError: it cannot be read, or compares nothing.
    """
    node = _parsed(text)
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        raise ConfigError(
            f"{text!r} compares nothing; write it as fit_time(hist) < 0.3 * fit_time(exact)"
        )
    comparison = _COMPARISONS.get(type(node.ops[0]))
    if comparison is None:
        raise ConfigError(f"{text!r}: samples are never equal; compare with <, <=, > or >=")
    return Expectation(_term(node.left, text), comparison, _term(node.comparators[0], text))


def leaves(term: Term) -> list[Leaf]:
    """The figures, exponents and whatever else is over cells in a term, from left to right."""
    if isinstance(term, Arithmetic):
        return [*leaves(term.left), *leaves(term.right)]
    return [] if isinstance(term, Number) else [term]


def _parsed(text: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise ConfigError(f"an expression of {len(text):,} characters; {_LONGEST:,} are allowed")
    try:
        # Only parsed: nothing of it is ever run.
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        at = getattr(error, "offset", None)
        where = f" at character {at}" if at else ""
        raise ConfigError(
            f"{text!r} cannot be read{where}; use figures, numbers, + - * /"
        ) from None


def _term(node: ast.expr, text: str) -> Term:
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = _term(node.left, text), _term(node.right, text)
        return Arithmetic(_OPERATORS[type(node.op)], left, right)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return Arithmetic("-", Number(0.0), _term(node.operand, text))
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return Number(float(node.value))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _call(node.func.id, [_word(argument, text) for argument in node.args], text)
    raise ConfigError(
        f"{text!r}: {ast.unparse(node)!r} is neither a number nor a figure of cells, "
        f"such as fit_time(hist)"
    )


def _call(name: str, words: list[str], text: str) -> Term:
    if not words:
        raise ConfigError(f"{text!r}: {name}() of which cells? write {name}(hist), say")
    if name == "exponent":
        if len(words) != _EXPONENT_ARGUMENTS:
            raise ConfigError(f"{text!r}: write exponent(FIGURE, AXIS, CELLS)")
        return ExponentOf(figure_named(words[0]).name, words[1], words[2])
    if name in _HOWS:
        if len(words) == 1:
            raise ConfigError(f"{text!r}: write {name}(FIGURE, CELLS)")
        return OverCells(_HOWS[name], figure_named(":".join(words[:-1])).name, words[-1])
    return FigureOf(figure_named(":".join([name, *words[:-1]])).name, words[-1])


def _word(node: ast.expr, text: str) -> str:
    """An argument as it is written: a name, a number, a text in quotes, or names with dashes."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Name | ast.Constant):
        return ast.unparse(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        return f"{_word(node.left, text)}-{_word(node.right, text)}"
    raise ConfigError(f"{text!r}: {ast.unparse(node)!r} names nothing; put conditions in quotes")
