"""A dump small enough to add up by hand, and the names that C++ gives its functions."""

from __future__ import annotations

import pytest

from treebench.measure.callgrind import leading_functions
from treebench.measure.callgrind_output import Profile, parse
from treebench.measure.function_names import short_name

DUMP = """# callgrind format
version: 1
part: 1
desc: Trigger: dump fit
positions: line
events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw
summary: 0

ob=(1) /lib/x.so
fl=(1) a.cc
fn=(1) void n::Tree<int>::Find(std::vector<float> const&)
10 100 50 0 0 40
+2 10
cfn=(2) copy
calls=1 20
* 1000 10 10 0 10 10
-1 5 0 0 0 0 0 0 7

fl=(2) b.cc
fn=(2)
20 800 10 5 0 0 10
fn=(3) void n::Tree<double>::Find(std::vector<double> const&)
+3 85 0 0 0 10

totals: 1000 60 5 0 50 10 0 7
"""


def test_self_cost_leaves_out_what_was_called() -> None:
    profile = parse(DUMP.splitlines())
    assert profile.functions["copy"]["instructions"] == 800
    assert profile.functions["n::Tree::Find"]["instructions"] == 200  # both of its instances
    assert profile.functions["n::Tree::Find"]["D1-read-misses"] == 50


def test_totals_are_those_of_the_dump_and_the_sum_of_its_functions() -> None:
    profile = parse(DUMP.splitlines())
    assert profile.totals == {
        "instructions": 1000,
        "data-reads": 60,
        "data-writes": 5,
        "D1-read-misses": 50,
        "D1-write-misses": 10,
        "LL-read-misses": 7,
        "LL-write-misses": 0,
    }
    for event, total in profile.totals.items():
        assert sum(cost[event] for cost in profile.functions.values()) == total


def test_functions_are_led_by_read_misses_as_shares_of_the_whole() -> None:
    assert leading_functions(parse(DUMP.splitlines())) == [
        {"function": "n::Tree::Find", "read_misses": 1.0, "write_misses": 0.0, "instructions": 0.2},
        {"function": "copy", "read_misses": 0.0, "write_misses": 1.0, "instructions": 0.8},
    ]


def test_of_too_many_functions_the_one_that_works_most_is_kept_though_it_misses_nothing() -> None:
    totals = {"D1-read-misses": 100, "D1-write-misses": 100, "instructions": 100}
    misses = {f"f{n}": {"D1-read-misses": 2 + n, "instructions": 1} for n in range(5)}
    profile = Profile(totals, {**misses, "busy": {"instructions": 60}})
    kept = [each["function"] for each in leading_functions(profile, most=3)]
    assert kept == ["f4", "f3", "busy"]


def test_what_has_no_name_goes_by_its_address() -> None:
    stripped = parse(DUMP.replace(") copy", ") 0x0042").splitlines())
    assert "x.so+0x0042" in stripped.functions


def test_a_share_of_nothing_is_unknown() -> None:
    quiet = DUMP.replace("0 0 10\nfn=(3)", "0\nfn=(3)").replace(" 10 0 7\n", " 0 0 7\n")
    assert leading_functions(parse(quiet.splitlines()))[0]["write_misses"] is None


def test_a_dump_cut_short_is_refused() -> None:
    with pytest.raises(ValueError, match="cut short"):
        parse(DUMP.partition("totals:")[0].splitlines())


@pytest.mark.parametrize(
    ("function", "short"),
    [
        ("main", "main"),
        ("PyObject_RichCompareBool'2", "PyObject_RichCompareBool"),
        ("omp_get_num_procs", "omp_get_num_procs"),
        (
            "bool xgboost::tree::ColMaker::Builder::EnumerateSplit<xgboost::Entry const*, false>"
            "(xgboost::Entry const*, std::vector<int, std::allocator<int> >&) const",
            "ColMaker::Builder::EnumerateSplit",
        ),
        (
            "void n::(anonymous namespace)::f<(a::B)2>(int, std::function<void (int)>)::"
            "{lambda(auto:1)#1}::operator()<unsigned int>(unsigned int) const",
            "n::f::lambda",
        ),
        ("a::It<a::Page>::operator++()", "a::It::operator++"),
        ("bool std::operator< <int>(int const&, int const&)", "std::operator"),
        ("gomp_run<int>(int) [clone ._omp_fn.0]", "gomp_run (omp)"),
        ("n::Bin<unsigned char>::Fill(int) const [clone .cold]", "n::Bin::Fill"),
        ("std::vector<int> a::make(int)", "a::make"),
        (
            "std::_Function_handler<int (int, int), L::Partition::Split(int, L::Set<a, b> const*)::"
            "{lambda(int, int)#1}>::_M_invoke(std::_Any_data const&, int&&)",
            "Partition::Split::lambda",
        ),
    ],
)
def test_names_without_what_nobody_says(function: str, short: str) -> None:
    assert short_name(function) == short
