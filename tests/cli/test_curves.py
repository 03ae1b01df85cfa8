"""`hpenv curves`: the evaluations of runs, side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from torch.utils.tensorboard import SummaryWriter

from hpenv.training.cli.curves import by_run
from hpenv.training.cli.main import main

Printed = pytest.CaptureFixture[str]


def logged(run: Path, ends: float) -> Path:
    """A run that was evaluated twice against one agent, ending with so many points."""
    with SummaryWriter(str(run)) as writer:
        for step, points in ((1_000, -0.5), (2_000, ends)):
            for name, value in (("points", points), ("low", points - 0.25), ("high", points + 0.25)):
                writer.add_scalar(f"eval/rule_based/set_bid/{name}", value, step)
        writer.add_scalar("losses/entropy", 1.0, 1_000)
    return run


def test_runs_are_shown_written_and_drawn(tmp_path: Path, capsys: Printed) -> None:
    runs = [str(logged(tmp_path / name, ends)) for name, ends in (("one", 0.5), ("two", 0.75))]
    table, picture = tmp_path / "curves.csv", tmp_path / "curves.svg"
    assert main(["curves", *runs, "--csv", str(table), "--plot", str(picture)]) == 0
    assert "+0.500 [+0.250, +0.750]" in capsys.readouterr().out
    assert table.read_text(encoding="utf-8") == (
        "run,rules,opponent,timesteps,points,low,high\n"
        "one,set_bid,rule_based,1000,-0.5,-0.75,-0.25\n"
        "one,set_bid,rule_based,2000,0.5,0.25,0.75\n"
        "two,set_bid,rule_based,1000,-0.5,-0.75,-0.25\n"
        "two,set_bid,rule_based,2000,0.75,0.5,1.0\n"
    )
    assert "<svg" in picture.read_text(encoding="utf-8")


def test_a_run_measured_on_too_few_deals_has_no_intervals(tmp_path: Path, capsys: Printed) -> None:
    with SummaryWriter(str(tmp_path / "run")) as writer:
        writer.add_scalar("eval/rule_based/mini2/points", -0.5, 1_000)
    table = str(tmp_path / "curves.csv")
    assert main(["curves", str(tmp_path / "run"), "--csv", table]) == 0
    assert "-0.500 │" in capsys.readouterr().out
    assert main(["curves", table, "--json", "--plot", str(tmp_path / "curves.png")]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["points"], row["low"], row["high"]) == (-0.5, None, None)


def test_the_file_it_wrote_stands_for_the_runs(tmp_path: Path, capsys: Printed) -> None:
    run, table = str(logged(tmp_path / "one", 0.5)), str(tmp_path / "curves.csv")
    main(["curves", run, "--csv", table, "--json"])
    from_run = capsys.readouterr().out
    assert main(["curves", table, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(from_run)


def test_presets_come_in_their_own_order_and_other_rules_last() -> None:
    rows = [
        {"rules": rules, "run": "one"} for rules in ("apart", "mini2", "set_bid", "standard", "mini2")
    ]
    assert [(rules, len(found)) for (rules, _), found in by_run(rows).items()] == [
        ("standard", 1),
        ("set_bid", 1),
        ("mini2", 2),
        ("apart", 1),
    ]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("", "name at least one run"),
        ("{tmp}/none", "{tmp}/none: no curves are logged there"),
        ("{tmp}/other.csv", "{tmp}/other.csv: its first line is not run,rules,opponent,"),
        ("{tmp}/one --against uniform", "not evaluated against 'uniform': rule_based"),
        ("{tmp}/one --plot curves.gif", "curves.gif is neither a .png nor a .svg"),
    ],
)
def test_what_makes_no_sense_is_refused(
    tmp_path: Path, capsys: Printed, words: str, complaint: str
) -> None:
    logged(tmp_path / "one", 0.5)
    (tmp_path / "other.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    assert main(["curves", *words.format(tmp=tmp_path).split()]) == 2
    assert complaint.format(tmp=tmp_path) in capsys.readouterr().err
