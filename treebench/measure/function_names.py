"""Names of C++ functions, shortened to what people call them."""

from __future__ import annotations

import re

_RECURSION = re.compile(r"'\d+$")
_CLONE = re.compile(r" \[clone \.([a-z_]+)[^\]]*\]")
_LAMBDA = re.compile(r"\{lambda\([^{}]*\)#\d+\}")
# The operators whose own letters would be taken for brackets.
_OPERATOR = re.compile(r"\boperator(?:<=>|<<=|>>=|<<|>>|<=|>=|->\*|->|<(?!<)|>|\(\))")


def short_name(function: str) -> str:
    """A C++ function as people speak of it: no template arguments, parameters, return type or
    unnamed namespaces, and the last three parts of a long qualified name."""
    text = _RECURSION.sub("", function)
    clone = _CLONE.search(text)
    text = _wrapped(_CLONE.sub("", text)).replace("(anonymous namespace)::", "")
    text = _LAMBDA.sub("lambda", _OPERATOR.sub("operator", text))
    text = _without_nested(_without_nested(text, "<", ">"), "(", ")")
    words = re.sub(r"\bconst\b", "", text).split()
    name = words[-1].strip("*&").replace("lambda::operator", "lambda") if words else function
    short = "::".join(name.split("::")[-3:])
    return f"{short} (omp)" if clone is not None and "omp" in clone[1] else short


def _wrapped(function: str) -> str:
    """The function that a std::function calls, which stands last in its handler's template
    arguments; any other function is itself."""
    handler, call = "std::_Function_handler<", ">::_M_invoke("
    if not (function.startswith(handler) and call in function):
        return function
    inside = function[len(handler) : function.rindex(call)]
    depth = 0
    for place in range(len(inside) - 1, -1, -1):
        depth += (inside[place] in ">)") - (inside[place] in "<(")
        if inside[place] == "," and depth == 0:
            return inside[place + 1 :].strip()
    return function


def _without_nested(text: str, opening: str, closing: str) -> str:
    kept, depth = [], 0
    for letter in text:
        if letter == opening:
            depth += 1
        elif letter == closing and depth:
            depth -= 1
        elif not depth:
            kept.append(letter)
    return "".join(kept)
