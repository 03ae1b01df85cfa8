"""Figures for the notebooks: one look, colours for colour-blind readers too (Okabe and Ito), and an
interval or a number of cases on whatever was measured.

They need matplotlib, which is loaded when something is first drawn.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hpenv.training.benchmark.intervals import share_interval

BLACK, GREY, PALE = "#222222", "#8c8c8c", "#d9d9d9"
ORANGE, SKY, GREEN, BLUE, RED, PURPLE = "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00", "#cc79a7"
COLOURS = {  # one colour for one thing in all notebooks
    "uniform": GREY,
    "sensible_random": SKY,
    "rule_based": ORANGE,
    "learned": BLUE,
    "pimc": GREEN,
    "ismcts": PURPLE,
    "standard": RED,
    "set_bid": BLUE,
    "pepper": ORANGE,
    "house": GREEN,
}
LOOK: Any = {
    "figure.dpi": 110,
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
}
FEWEST = 20  # cases below which a cell of a heat map is left empty


def colour_of(name: str) -> str:
    """The colour of an agent, whatever its options, or of a preset; black for any other name."""
    return COLOURS.get(name.split(":", maxsplit=1)[0], BLACK)


def look() -> None:
    """Set the one look for the figures to come."""
    from matplotlib import rcParams  # noqa: PLC0415

    rcParams.update(LOOK)


def figure(
    columns: int = 1, rows: int = 1, width: float = 7.6, height: float = 3.0, **options: Any
) -> tuple[Any, Any]:
    """A figure and its axes, a single one or an array of them; inches for the whole figure."""
    import matplotlib.pyplot as plt  # noqa: PLC0415

    look()
    return plt.subplots(rows, columns, figsize=(width, height), **options)


def titled(axes: Any, title: str, x: str = "", y: str = "") -> None:
    """A title and what the axes measure, with units."""
    axes.set_title(title)
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def headed(figure: Any, heading: str) -> None:
    """A heading above all the axes of a figure."""
    figure.suptitle(heading, x=0.01, ha="left", fontsize=10)


def intervals(
    axes: Any,
    results: Mapping[str, tuple[float, float, float]],
    form: str = "+.2f",
    colours: Sequence[str] | None = None,
) -> None:
    """A row for each name: its mean as a dot, its interval as a line, both in figures at the right.

    results: mean, low and high by name, the first on top. form: of the figures; where they have signs a
    line stands at 0. colours: of each, if not those of the names.
    """
    names = list(results)
    painted = [colour_of(name) for name in names] if colours is None else colours
    for row, ((mean, low, high), colour) in enumerate(zip(results.values(), painted, strict=True)):
        ends = [mean if not np.isfinite(end) else end for end in (low, high)]
        axes.plot(ends, [row, row], color=colour, lw=2.4, solid_capstyle="round")
        axes.plot([mean], [row], "o", color=colour, ms=6)
        text = f"{mean:{form}}  [{low:{form}}, {high:{form}}]"
        axes.text(1.02, row, text, transform=axes.get_yaxis_transform(), va="center", fontsize=8)
    if form.startswith("+"):
        axes.axvline(0, color=BLACK, lw=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(False, axis="y")


def shares(axes: Any, labels: Sequence[str], groups: Mapping[str, Any]) -> None:
    """Bars in groups: for each label the share of every group's cases that it makes up, with Wilson's
    95 % interval.

    groups: by name the counts of the labels, or pairs of counts and numbers of cases.
    """
    width = 0.8 / len(groups)
    for i, (name, counted) in enumerate(groups.items()):
        paired = isinstance(counted, tuple)
        counts = np.asarray(counted[0] if paired else counted)
        cases = np.asarray(counted[1]) if paired else np.full(len(labels), sum(counts))
        there = np.flatnonzero(cases)
        place = there + width * (i - (len(groups) - 1) / 2)
        ends = [share_interval(int(counts[k]), int(cases[k])) for k in there]
        label = name if paired else f"{name} (n = {int(sum(counts)):,})"
        axes.bar(place, counts[there] / cases[there], width * 0.92, color=colour_of(name), label=label)
        axes.vlines(place, *np.array(ends).reshape(-1, 2).T, color=BLACK, lw=1)
    axes.set_xticks(range(len(labels)), labels)
    axes.set_xlim(-0.6, len(labels) - 0.4)
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f} %")
    axes.grid(False, axis="x")
    axes.set_yticks([tick for tick in axes.get_yticks() if tick <= 1])
    axes.set_ylim(0, 1.15 * axes.get_ylim()[1])  # room for the legend
    axes.legend(fontsize=8)


def heat_map(
    axes: Any,
    values: Any,
    rows: Sequence[str],
    columns: Sequence[str],
    cases: Any = None,
    bounds: tuple[float, float] | None = None,
    digits: int = 1,
    diverging: bool = False,
    texts: Any = None,
) -> None:
    """A table of values (rows, columns) in colours with each value written in it, or a text in its
    place; cells of nan, or of fewer cases than 20, stay grey. bounds: the values of the two end
    colours; if the colours are diverging, 0 is in their middle unless bounds say otherwise."""
    from matplotlib import colormaps  # noqa: PLC0415

    shown = np.ma.masked_invalid(np.asarray(values, float))
    if cases is not None:
        shown = np.ma.masked_where(np.asarray(cases) < FEWEST, shown)
    colours = colormaps["PuOr" if diverging else "cividis"].with_extremes(bad="#eeeeee")
    if bounds is None:
        most = float(abs(shown).max())
        bounds = (-most, most) if diverging else (float(shown.min()), float(shown.max()))
    low, high = bounds
    axes.imshow(shown, cmap=colours, vmin=low, vmax=high, aspect="auto")
    for (row, column), value in np.ndenumerate(shown.filled(np.nan)):
        if np.isfinite(value):
            red, green, blue, _ = colours(np.clip((value - low) / max(high - low, 1e-9), 0, 1))
            ink = BLACK if 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 else "white"
            text = f"{value:{'+' if diverging and value else ''}.{digits}f}"
            text = text if texts is None else texts[row][column]
            axes.text(column, row, text, ha="center", va="center", color=ink, fontsize=8)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    axes.grid(False)
    for side in axes.spines.values():
        side.set_visible(False)


def curves_of(run: str | Path) -> dict[str, tuple[Any, Any]]:
    """The curves that a training run logged: by name, timesteps and values, each of shape (n,).

    Raises ValueError if the folder holds none.
    """
    from tensorboard.backend.event_processing.event_accumulator import (  # type: ignore[import-untyped] # noqa: PLC0415
        EventAccumulator,
    )

    if not any(Path(run).glob("events.out.tfevents*")):
        raise ValueError(f"{run}: no curves are logged there")
    events = EventAccumulator(str(run)).Reload()
    names = events.Tags()["scalars"]
    points = {name: events.Scalars(name) for name in names}
    return {
        name: (np.array([p.step for p in curve]), np.array([p.value for p in curve]))
        for name, curve in points.items()
    }
