"""Runs with one thing changed: each is trained once, measured, and compared seed by seed."""

from __future__ import annotations

import dataclasses
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from hpenv.training import ablations
from hpenv.training.ablations import VARIANTS, Options, as_grid, difference, main
from hpenv.training.options import Args, check
from small_runs import small

Printed = pytest.CaptureFixture[str]


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_differs_from_the_default_in_what_it_changes(name: str) -> None:
    changed = dataclasses.replace(ablations.DEFAULT, **VARIANTS[name])
    check(changed)
    differs = {
        field.name
        for field in dataclasses.fields(Args)
        if getattr(changed, field.name) != getattr(ablations.DEFAULT, field.name)
    }
    assert differs == VARIANTS[name].keys()


def test_what_is_trained_is_not_trained_again(
    tmp_path: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ablations, "DEFAULT", small(None, rules=("mini2",)))
    options = Options(
        out=tmp_path,
        variants=("self_only",),
        seeds=(1, 2),
        total_timesteps=600,
        evaluations=2,
        deals=20,
        csv=tmp_path / "ablations.csv",
    )
    assert main(options) == 0
    out, said = capsys.readouterr()
    assert "self only" in out
    assert said.count("finished") == 4
    table = (tmp_path / "ablations.csv").read_text(encoding="utf-8")
    assert {line.split(",")[0] for line in table.splitlines()[1:]} == {
        f"{name}-{seed}" for name in ("default", "self_only") for seed in (1, 2)
    }
    assert main(options) == 0
    assert "finished" not in capsys.readouterr().err
    with pytest.raises(ValueError, match=r"variants: no other; there are default, view_critic, "):
        main(dataclasses.replace(options, variants=("other",)))


def test_a_change_is_compared_seed_by_seed() -> None:
    """Gains of 0.1 and 0.3: mean 0.2, standard error 0.1, and t with one degree of freedom 12.706."""
    assert difference([0.5, 0.4], [0.4, 0.1]) == "+0.20 [-1.07, +1.47]"
    assert difference([0.5], [0.4]) == "+0.10"
    rows: list[dict[str, Any]] = [
        {"run": f"{name}-{seed}", "rules": rules, "opponent": opponent, "points": points}
        for name, points in (("default", 0.25), ("self_only", 0.75))
        for seed, points in ((1, points), (2, 3 * points))
        for rules in ("standard", "set_bid")
        for opponent in ("rule_based", "sensible_random")
    ]
    text = StringIO()
    grid = as_grid(rows, ["default", "self_only"], Options(seeds=(1, 2)))
    Console(file=text, width=200).print(grid)
    assert "self only │ set_bid  │ +0.75  │ +2.25  │ +1.50 │ +1.00 [-5.35, +7.35]" in text.getvalue()
