"""`hpenv curves`: how runs came on against a fixed agent, side by side."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console
from rich.table import Table as Grid
from tyro.conf import Positional, arg

from hpenv.files import write_whole
from hpenv.rules import PRESETS
from hpenv.training.cli.shown import FLAG, given

PER_ROW = 3  # panels of a picture side by side
COLUMNS = ("run", "rules", "opponent", "timesteps", "points", "low", "high")


@dataclass
class Options:
    """Show the evaluations of training runs side by side: seeds, widths, or an option left out.

    Points per duplicate deal with 95 % intervals, as each run logged them. A CSV file that this command
    wrote stands for the runs that are in it.

    examples:
      hpenv curves runs/seed1 runs/seed2 runs/seed3 --csv seeds.csv --plot seeds.png
      hpenv curves seeds.csv
    """

    runs: Annotated[tuple[Path, ...], Positional, arg(metavar="RUN ...", help_behavior_hint="")]
    """Folders of runs, or CSV files."""
    against: Annotated[str, arg(metavar="AGENT")] = "rule_based"
    """The opponent: one of those that runs are evaluated against."""
    csv: Annotated[Path | None, given("FILE")] = None
    """Write all evaluations, against every opponent, into this file."""
    plot: Annotated[Path | None, given("FILE")] = None
    """Draw the curves into this file, a PNG or SVG."""
    json: Annotated[bool, FLAG] = False
    """Print one JSON object: rows with run, rules, opponent, timesteps, points, low, high."""


def run(options: Options) -> None:
    """Read the runs, and write, draw and show their evaluations."""
    if not options.runs:
        raise ValueError("curves: name at least one run")
    if options.plot and options.plot.suffix not in (".png", ".svg"):
        raise ValueError(f"plot: {options.plot} is neither a .png nor a .svg")
    rows = [row for path in options.runs for row in evaluations(path)]
    shown = [row for row in rows if row["opponent"] == options.against]
    if not shown:
        known = ", ".join(dict.fromkeys(row["opponent"] for row in rows))
        raise ValueError(f"against: these runs were not evaluated against {options.against!r}: {known}")
    if options.csv:
        write_whole(options.csv, as_csv(rows).encode())
    if options.plot:
        draw(shown, options.against, options.plot)
    if options.json:
        print(json.dumps({"rows": shown}))
    else:
        Console().print(as_grid(shown, options.against))


def evaluations(path: Path) -> list[dict[str, Any]]:
    """The evaluations of a run, or of the runs in a CSV file: rows of COLUMNS, in order of time.

    Raises ValueError for a folder without evaluations and for a file of other columns.
    """
    if path.is_file():
        return read_csv(path)
    from hpenv.training.plots import curves_of  # noqa: PLC0415

    curves = curves_of(path)
    rows = []
    for name, (timesteps, points) in curves.items():
        what, *rest = name.split("/")
        if what == "eval" and rest[-1] == "points":
            opponent, rules = rest[:2]
            none = [None] * len(points)  # where too few deals were played for an interval
            low, high = (
                curves.get(f"eval/{opponent}/{rules}/{end}", (none, none))[1] for end in ("low", "high")
            )
            for step, *numbers in zip(timesteps, points, low, high, strict=True):
                rounded = (None if n is None else round(float(n), 4) for n in numbers)
                row = (path.name, rules, opponent, int(step), *rounded)
                rows.append(dict(zip(COLUMNS, row, strict=True)))
    if not rows:
        raise ValueError(f"{path}: this run was not evaluated yet")
    return rows


def as_csv(rows: list[dict[str, Any]]) -> str:
    """Rows as a CSV file with a heading."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def read_csv(path: Path) -> list[dict[str, Any]]:
    """What `as_csv` wrote. Raises ValueError, naming the file, for anything else."""
    kinds: list[Callable[[str], Any]] = [str, str, str, int, *[number_or_none] * 3]
    try:
        lines = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))
        if not lines or tuple(lines[0]) != COLUMNS:
            raise ValueError(f"its first line is not {','.join(COLUMNS)}")
        return [
            {name: kind(word) for name, kind, word in zip(COLUMNS, kinds, line, strict=True)}
            for line in lines[1:]
        ]
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def number_or_none(word: str) -> float | None:
    """A number, or nothing for no word."""
    return float(word) if word else None


def by_run(rows: list[dict[str, Any]]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The rows of each (rules, run), the rules together."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    order = [*PRESETS, *sorted({row["rules"] for row in rows} - set(PRESETS))]
    for row in sorted(rows, key=lambda row: order.index(row["rules"])):
        found.setdefault((row["rules"], row["run"]), []).append(row)
    return found


def as_grid(rows: list[dict[str, Any]], against: str) -> Grid:
    """How each run ended."""
    grid = Grid("rules", "run", title=f"points per deal against {against}")
    for heading in ("timesteps", "at the end, 95 % interval"):
        grid.add_column(heading, justify="right")
    for (rules, name), curve in by_run(rows).items():
        last = curve[-1]
        end = f"{last['points']:+.3f}"
        if last["low"] is not None:
            end += f" [{last['low']:+.3f}, {last['high']:+.3f}]"
        grid.add_row(rules, name, f"{last['timesteps']:,}", end)
    return grid


def draw(rows: list[dict[str, Any]], against: str, path: Path) -> None:
    """One panel for each rules, one curve for each run, with the band of its intervals."""
    from matplotlib import colormaps  # noqa: PLC0415

    from hpenv.training.plots import figure, titled  # noqa: PLC0415

    found = by_run(rows)
    panels = list(dict.fromkeys(rules for rules, _ in found))
    names = list(dict.fromkeys(name for _, name in found))
    columns = min(len(panels), PER_ROW)
    height = -(-len(panels) // columns)
    size = (4.6 * columns, 3.2 * height)
    drawing, grid = figure(columns, height, *size, squeeze=False, sharey=True)
    places = dict(zip(panels, grid.flat, strict=False))
    for (rules, name), curve in found.items():
        axes = places[rules]
        colour = colormaps["viridis"](0.8 * names.index(name) / max(1, len(names) - 1))
        at = [row["timesteps"] / 1e6 for row in curve]
        low, points, high = ([row[key] for row in curve] for key in ("low", "points", "high"))
        axes.plot(at, points, "o-", color=colour, ms=3, label=name)
        if None not in low:
            axes.fill_between(at, low, high, color=colour, alpha=0.2, lw=0)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    for rules, axes in places.items():
        axes.axhline(0, color="#222222", lw=0.8)
        titled(axes, f"{rules}: points per deal against {against}", "timesteps, millions")
        axes.legend(fontsize=8, loc="lower right")
    drawing.savefig(path, dpi=120)
