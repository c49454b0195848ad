from __future__ import annotations

import dataclasses
import re

from tests.analysis.rows import facts, failed, realistic, samples, spec
from treebench.analysis.overview import overview
from treebench.analysis.summary import cell_spec
from treebench.report.lines import lines
from treebench.report.markdown import page
from treebench.report.markdown_table import escaped, table
from treebench.report.sections import sections


def unescaped_pipes(line: str) -> int:
    return len(re.findall(r"(?<!\\)\|", line))


def test_text_is_shown_as_it_is() -> None:
    assert escaped("a|b_c*d`e<f>\\g") == r"a\|b\_c\*d\`e\<f\>\\g"
    assert escaped("two\nlines  &amp;") == r"two lines \&amp;"


def test_a_cell_cannot_break_a_table() -> None:
    made = table(["a", "b"], [["x | y\nz", "<b>"]], [True, False]).splitlines()
    assert made[1] == "| --: | :-- |"
    assert [unescaped_pipes(line) for line in made] == [3, 3, 3]


def test_every_table_of_a_page_is_whole() -> None:
    run = overview(*realistic())
    text = page(run, sections(run, lines(run)), [("time-by-rows", "Time | of all")])
    counts: list[int] = []
    for line in text.splitlines():
        if line.startswith("|"):
            counts.append(unescaped_pipes(line))
        elif counts:
            assert len(set(counts)) == 1
            counts = []
    assert "[![Time \\| of all](time-by-rows.png)](time-by-rows.svg)" in text


def test_a_page_says_what_a_reader_must_know() -> None:
    run = overview(*realistic())
    text = page(run, sections(run, lines(run)), [])
    for said in (
        "```sh\ntreebench run configs/test.yaml --set 'data.rows=[20000, 80000]'\n```",
        "LightGBMError: bad \\| thing",
        "HistGradientBoosting takes no sparse input",
        "max\\_bin has no meaning for exact",
        "of the machine: hardware\\_counters",
        "| hardware\\_counters | not known |",
        "| memory\\_bytes | 8.00 GiB |",
        "| cores.physical | 2 |",
        "| xgboost | 3.2.0 |",
        "container dmatrix, max\\_depth 6",
        "93.75 % with 5 samples",
        "never zero",
    ):
        assert said in text
    assert "## Pictures" not in text


def test_the_note_and_the_expectation_are_kept() -> None:
    told = facts([spec()]) | {"note": "quiet *night*", "expect": "hist wins"}
    run = overview(told, samples(spec()))
    text = page(run, sections(run, lines(run)), [])
    assert "Note: quiet \\*night\\*" in text
    assert "Expected: hist wins" in text


def test_a_command_with_backticks_stays_in_its_block() -> None:
    told = facts([spec()]) | {"command": ["treebench", "run", "a```b"]}
    run = overview(told, samples(spec()))
    assert "````sh\ntreebench run 'a```b'\n````" in page(run, sections(run, lines(run)), [])


def test_an_unsteady_machine_is_warned_of() -> None:
    from tests.analysis.rows import CONTROL, sample

    rows = [*samples(spec()), *(sample(CONTROL, block, 1 + block / 10) for block in range(3))]
    run = overview(facts([spec()]), rows)
    assert "**warning: the machine was unsteady" in page(run, sections(run, lines(run)), [])


def test_a_run_where_all_but_one_failed_still_makes_a_page() -> None:
    cells = [spec(), spec(layout="csr")]
    rows = [*samples(cells[0], 1), failed(cells[1], 0, "killed", "signal 9", signal="SIGKILL")]
    run = overview(facts(cells, planned=1), rows)
    text = page(run, sections(run, lines(run)), [])
    assert "1 of 1 killed: signal 9" in text
    assert "interval: for the median" not in text


def test_failed_samples_beside_the_timed_ones_are_told() -> None:
    run_facts, rows = realistic()
    spec_of_one = cell_spec(next(row.spec for row in rows if row.status == "ok"))
    lost = failed(spec_of_one, 0, "timeout", "it took too long")
    run = overview(run_facts, [*rows, dataclasses.replace(lost, kind="simulated")])
    text = page(run, sections(run, lines(run)), [])
    assert "## Failed beside" in text
    assert "simulated sample, timeout: it took too long" in text
