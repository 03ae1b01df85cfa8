"""The notebooks run from top to bottom, and what is kept of their last run is whole and clean."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hpenv.training import notebooks
from hpenv.training.notebooks import main, run, sized, verdict, without_traces
from hpenv.training.plots import COLOURS, colour_of, curves_of, figure, heat_map, intervals, shares
from places import ROOT

FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LARGEST = 1_500_000  # bytes
MACHINE = re.compile(r"/home/|/root|/tmp|/work/|/Users/|[A-Z]:\\\\|site-packages|\.venv")
TRACES = ("execution", "ExecuteTime", "collapsed", "vscode")


def read(path: Path) -> Any:
    return pytest.importorskip("nbformat").read(path, 4)


def kinds(notebook: Any) -> list[list[str]]:
    """What each code cell shows: for every output the kinds it can be shown as."""
    return [
        [
            " ".join(sorted(output["data"])) if "data" in output else str(output.get("name"))
            for output in cell.outputs
        ]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def check_clean(notebook: Any) -> None:
    """No error, nothing said on stderr, no object shown as mere text, no trace of a machine."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            assert output.output_type != "error", cell.id
            assert output.get("name") != "stderr", f"{cell.id}: {output.text}"
            if "data" in output:
                assert set(output.data) & {"image/png", "image/svg+xml", "text/html"}, (
                    f"{cell.id} shows {output.data}"
                )
            said = output.get("text", "") + str(output.get("data", {}).get("text/html", ""))
            assert not MACHINE.search(said), cell.id
        assert cell.metadata == {}, cell.id


def test_there_are_six_and_the_reader_is_told_of_each() -> None:
    told = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [path.name[0] for path in NOTEBOOKS] == list("123456")
    for path in NOTEBOOKS:
        assert f"`{path.name}`" in told
        assert notebooks.VARIABLE in "".join(cell.source for cell in read(path).cells)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_from_top_to_bottom(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(notebooks.VARIABLE, "small")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    done = run(path)
    check_clean(done)
    assert kinds(done) == kinds(read(path)), "the outputs kept are of another version: run it anew"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_kept_of_it_is_whole_and_clean(path: Path) -> None:
    kept = read(path)
    check_clean(kept)
    counts = [cell.execution_count for cell in kept.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1)), "not run once from top to bottom"
    assert any("image/png" in kind or "svg" in kind for each in kinds(kept) for kind in each)
    assert path.stat().st_size < LARGEST
    assert kept.cells[0].source.startswith(f"# {path.name[0]}. ")


# ---- running ------------------------------------------------------------------------------------


def test_the_size_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for value, expected in ((None, 7), ("", 7), ("full", 7), ("small", 3)):
        if value is None:
            monkeypatch.delenv(notebooks.VARIABLE, raising=False)
        else:
            monkeypatch.setenv(notebooks.VARIABLE, value)
        assert sized(full=7, small=3) == expected
    monkeypatch.setenv(notebooks.VARIABLE, "tiny")
    with pytest.raises(ValueError, match="'tiny' is not one of small, full"):
        sized(full=7, small=3)


def test_a_verdict_claims_no_more_than_its_interval() -> None:
    assert verdict(0.5, 0.2, 0.8) == "gains 0.50 points per deal [+0.20, +0.80]"
    assert verdict(-0.11, -0.16, -0.06) == "costs 0.11 points per deal [-0.16, -0.06]"
    assert verdict(0.1, -0.1, 0.3, "tricks") == "no significant difference, +0.10 tricks [-0.10, +0.30]"
    assert verdict(0.3, -np.inf, np.inf).startswith("no significant difference")


def test_traces_of_the_machine_are_taken_out() -> None:
    nbformat = pytest.importorskip("nbformat")
    first_run = "hpenv: compiling ...\nhpenv: compiled x\nMatplotlib is building the font cache; wait\n"
    cell = nbformat.v4.new_code_cell("1", metadata={"execution": {"iopub.execute_input": "2026"}})
    cell.outputs = [
        nbformat.v4.new_output("stream", name="stderr", text=first_run),
        nbformat.v4.new_output("stream", name="stderr", text="a warning\n"),
        nbformat.v4.new_output("display_data", {"image/png": "aa", "text/plain": "<Figure at 0x7f>"}),
    ]
    book = nbformat.v4.new_notebook(
        cells=[cell], metadata={"kernelspec": {"name": "mine", "display_name": "mine"}}
    )
    clean = without_traces(book)
    assert clean.cells[0].metadata == {}
    assert [output.get("text") for output in clean.cells[0].outputs] == ["a warning\n", None]
    assert clean.cells[0].outputs[1].data["text/plain"] == "(a picture)"
    assert clean.metadata.kernelspec.name == "python3"


def test_without_the_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nbclient", None)
    with pytest.raises(ImportError, match=r"pip install -e .*\[notebooks\]"):
        run(NOTEBOOKS[0])


def test_the_command_writes_a_notebook_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nbformat = pytest.importorskip("nbformat")
    path = tmp_path / "sum.ipynb"
    cell = nbformat.v4.new_code_cell("print(1 + 1)")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    assert main([str(path)]) == 0
    assert read(path).cells[0].outputs[0].text == "2\n"
    assert "sum.ipynb" in capsys.readouterr().out
    assert main([]) == 2
    assert "usage" in capsys.readouterr().err


# ---- figures ------------------------------------------------------------------------------------


@pytest.fixture
def axes(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("MPLBACKEND", "agg")
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    made, axes = figure()
    yield axes
    plt.close(made)


def test_colours_are_apart_and_stay_with_their_names() -> None:
    agents = ["uniform", "sensible_random", "rule_based", "learned", "pimc", "ismcts"]
    assert len({COLOURS[name] for name in agents}) == len(agents)
    assert colour_of("pimc:worlds=100") == colour_of("pimc") != colour_of("anything else")


def test_intervals_are_drawn_and_written(axes: Any) -> None:
    intervals(axes, {"learned": (0.5, 0.25, 0.75), "uniform": (-1.0, -np.inf, np.inf)})
    lines = [line.get_xdata() for line in axes.lines if len(line.get_xdata()) == 2]
    assert [list(line) for line in lines[:2]] == [[0.25, 0.75], [-1.0, -1.0]]
    assert "+0.50  [+0.25, +0.75]" in [text.get_text() for text in axes.texts]


def test_shares_have_heights_and_intervals_of_their_cases(axes: Any) -> None:
    """A quarter and three quarters of eight; Wilson's interval of two in eight is 7 % to 59 %."""
    shares(axes, ["a", "b", "c"], {"learned": [2, 6, 0], "pimc": ([1, 0, 0], [4, 0, 5])})
    heights = [[round(bar.get_height(), 2) for bar in group] for group in axes.containers]
    assert heights == [[0.25, 0.75, 0.0], [0.25, 0.0]]  # no bar where there were no cases
    (low, high), *_ = (path.vertices[:, 1] for path in axes.collections[0].get_paths())
    assert (round(low, 2), round(high, 2)) == (0.07, 0.59)
    assert "learned (n = 8)" in [text.get_text() for text in axes.get_legend().get_texts()]


def test_a_heat_map_leaves_what_is_not_known_empty(axes: Any) -> None:
    cases = np.array([[100, 5], [100, 100]])
    heat_map(axes, [[1.0, 2.0], [np.nan, -4.0]], "ab", "cd", cases, diverging=True)
    assert [text.get_text() for text in axes.texts] == ["+1.0", "-4.0"]
    assert axes.images[0].get_clim() == (-4, 4)


def test_curves_are_read_back_as_they_were_logged(tmp_path: Path) -> None:
    from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415

    with SummaryWriter(str(tmp_path)) as writer:
        for step in (10, 20, 30):
            writer.add_scalar("losses/entropy", step / 100, step)
    steps, values = curves_of(tmp_path)["losses/entropy"]
    assert steps.tolist() == [10, 20, 30]
    assert values.tolist() == pytest.approx([0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="no curves"):
        curves_of(tmp_path / "nothing")
