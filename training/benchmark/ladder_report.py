"""What a tournament's folder holds for people: tables as CSV and JSON, and one HTML page with plots
that needs nothing from outside."""

import csv
import io
import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import numpy as np

import hpenv
from hpenv.actions import N_LEVELS
from hpenv.drawing.deal import deal_picture
from hpenv.files import write_whole
from hpenv.seats import N_SEATS
from hpenv.training.benchmark.intervals import mean_interval, share_interval
from hpenv.training.benchmark.ladder import Plan
from hpenv.training.benchmark.ladder_facts import LadderFacts, Swing
from hpenv.training.benchmark.outcomes import bid_name
from hpenv.training.benchmark.pairing import pairing_of
from hpenv.training.benchmark.records import record_from
from hpenv.training.plots import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY, heat_map, titled

MATRIX, RATINGS, SUMMARY, PAGE = "matrix.csv", "ratings.csv", "summary.json", "report.html"
TEMPLATE = Path(__file__).with_name("ladder_report.html")
COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, GREY, BLACK)
SEATS_FROM_DEALER = ("dealer's left", "dealer's partner", "dealer's right", "dealer")
LONGEST_LABEL = 26


def write_results(plan: Plan, described: dict[str, Any], records: Path) -> dict[str, Any]:
    """Write all but the records into the folder where they are; returns what the JSON holds."""
    folder, facts = records.parent, LadderFacts(plan.agents, records)
    found = facts.standings.as_json()
    summary = {"hpenv": hpenv.__version__, **described, **found}
    matches = [(m["a"], m["b"], m["mean"], m["low"], m["high"], m["won"]) for m in found["matches"]]
    turned = [(b, a, *_negated(mean, low, high), 1 - won) for a, b, mean, low, high, won in matches]
    header = ("agent", "opponent", "mean", "low", "high", "won")
    write_whole(folder / MATRIX, _csv(header, sorted(matches + turned)))
    write_whole(
        folder / RATINGS, _csv(tuple(found["agents"][0]), [tuple(a.values()) for a in found["agents"]])
    )
    write_whole(folder / SUMMARY, (json.dumps(summary, indent=1) + "\n").encode())
    write_whole(folder / PAGE, page(plan, described, facts).encode())
    return summary


def _negated(mean: float, *ends: float | None) -> tuple[float | None, ...]:
    low, high = (None if end is None else 0.0 - end for end in ends)
    return 0.0 - mean, high, low


def _csv(header: tuple[str, ...], rows: list[tuple[Any, ...]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


# ---- the page -----------------------------------------------------------------------------------


def page(plan: Plan, described: dict[str, Any], facts: LadderFacts) -> str:
    """The report as one page of HTML."""
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415

    standings, labels = facts.standings, labels_of(plan.agents)
    pairing = [
        pairing_of(_margins(facts, pair)).gain for pair in standings.values if facts.values[pair].any()
    ]
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(
        TEMPLATE.read_text(encoding="utf-8")
    )
    return template.render(
        plan=plan,
        hash=described["deals_hash"],
        version=hpenv.__version__,
        tables=len(facts.deal),
        gain=float(np.median(pairing)) if pairing else None,
        verdict=verdict(facts, labels),
        rows=[
            {
                "name": plan.agents[i],
                "rating": standings.ratings[i],
                "average": standings.averages[i],
                "nash": standings.nash[i],
                "alone": facts.alone_share(i),
            }
            for i in standings.order
        ],
        cycles=[[labels[i] for i in cycle] for cycle in standings.cycles],
        cyclic_share=standings.cyclic_share,
        ladder=ladder_plot(facts, labels),
        payoffs=payoff_plot(facts, labels),
        bids=bids_plot(facts, labels),
        made=made_plot(facts, labels),
        seats=seats_plot(facts, labels),
        swings=[
            _swing_shown(swing, dict(zip(plan.agents, labels, strict=True))) for swing in facts.swings()
        ],
    )


def labels_of(names: tuple[str, ...]) -> list[str]:
    """Short names for plots, each its own."""
    labels: list[str] = []
    for name in names:
        kind, _, rest = name.partition(":")
        label = f"{kind}:{rest.rstrip('/').rsplit('/', 1)[-1]}" if rest else kind
        if len(label) > LONGEST_LABEL:
            label = label[: LONGEST_LABEL - 1] + "…"
        if label in labels:
            label = f"{label} ({len(labels) + 1})"
        labels.append(label)
    return labels


def verdict(facts: LadderFacts, labels: list[str]) -> str:
    """Who leads, in a sentence that claims no more than the intervals."""
    first, second = facts.standings.order[:2]
    mean, low, high = facts.standings.payoffs[first, second]
    how = f"{mean:+.2f} points per deal (95\u00a0% interval {low:+.2f} to {high:+.2f})"
    if not np.isfinite(low):
        return f"{labels[first]} is rated highest; too few deals were played for intervals."
    if low > 0:
        return f"{labels[first]} is rated highest and beats {labels[second]}, the next: {how}."
    if high < 0:
        return f"{labels[first]} is rated highest, though {labels[second]}, the next, beats it: {how}."
    return (
        f"{labels[first]} is rated highest; between it and {labels[second]}, the next, there is no "
        f"significant difference: {how}."
    )


def _margins(facts: LadderFacts, pair: tuple[int, int]) -> Any:
    rows = (facts.a == pair[0]) & (facts.b == pair[1])
    margins = np.zeros((len(facts.values[pair]), 2))
    margins[facts.deal[rows], facts.side_of_a[rows]] = facts.margin[rows]
    return margins


def _swing_shown(swing: Swing, labels: dict[str, str]) -> dict[str, Any]:
    won, lost = labels[swing.won], labels[swing.lost]
    pictures = [
        b64encode(deal_picture(record_from(row), dark=False, width=900).encode()).decode()
        for row in swing.rows
    ]
    sides = ((won, lost), (lost, won))
    return {"won": won, "lost": lost, "deal": swing.deal, "points": swing.points} | {
        "tables": [
            {"north_south": ns, "east_west": ew, "picture": picture}
            for (ns, ew), picture in zip(sides, pictures, strict=True)
        ]
    }


# ---- plots, as SVG ------------------------------------------------------------------------------


def _axes(columns: int, width: float, height: float, **options: Any) -> tuple[Any, Any]:
    from matplotlib.figure import Figure  # noqa: PLC0415

    from hpenv.training.plots import look  # noqa: PLC0415

    look()
    drawing = Figure(figsize=(width, height), layout="constrained", facecolor="none")
    all_axes = drawing.subplots(1, columns, squeeze=False, **options)[0]
    for axes in all_axes:
        axes.set_facecolor("none")
    return drawing, all_axes


def _svg(drawing: Any) -> Any:
    from markupsafe import Markup  # noqa: PLC0415
    from matplotlib import rc_context  # noqa: PLC0415

    text = io.StringIO()
    with rc_context({"svg.hashsalt": "hpenv", "svg.fonttype": "path"}):
        drawing.savefig(text, format="svg", metadata={"Date": None})
    svg = text.getvalue()
    return Markup(svg[svg.index("<svg") :])


def _plain(label: str) -> str:
    """A label in which matplotlib reads no formulas."""
    return label.replace("$", r"\$")


def _height(rows: int) -> float:
    return 0.9 + 0.36 * rows


def ladder_plot(facts: LadderFacts, labels: list[str]) -> Any:
    """Ratings with their intervals, the highest on top."""
    standings = facts.standings
    order, ratings = standings.order, standings.ratings
    drawing, (axes,) = _axes(1, 8.6, _height(len(order)))
    for row, i in enumerate(order):
        colour = COLOURS[i % len(COLOURS)]
        rating, low, high = ratings[i]
        axes.plot([low, high], [row, row], color=colour, lw=3, solid_capstyle="round")
        axes.plot([rating], [row], "o", color=colour, ms=7)
        text = f"{rating:+.0f}  [{low:+.0f}, {high:+.0f}]"
        axes.text(1.02, row, text, transform=axes.get_yaxis_transform(), va="center", fontsize=8.5)
    axes.axvline(0, color=BLACK, lw=0.8)
    axes.set_yticks(range(len(order)), [_plain(labels[i]) for i in order])
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.grid(False, axis="y")
    titled(axes, "", "rating (400 more: odds of ten to one of winning a duplicate deal)")
    return _svg(drawing)


def payoff_plot(facts: LadderFacts, labels: list[str]) -> Any:
    """Points per deal of each row against each column, with half the width of the interval."""
    order, payoffs = facts.standings.order, facts.standings.payoffs
    shown = payoffs[np.ix_(order, order)]
    means = shown[:, :, 0].copy()
    np.fill_diagonal(means, np.nan)
    texts = [
        [
            f"{mean:+.2f}" + (f"\n±{(high - low) / 2:.2f}" if np.isfinite(high) else "")
            for mean, low, high in row
        ]
        for row in shown
    ]
    names = [_plain(labels[i]) for i in order]
    drawing, (axes,) = _axes(1, 8.6, 1.2 + 0.55 * len(order))
    heat_map(axes, means, names, names, diverging=True, texts=texts)
    axes.tick_params(axis="x", rotation=20 if len(order) > 5 else 0)
    return _svg(drawing)


def _levels(facts: LadderFacts) -> list[int]:
    return [level for level in range(1, N_LEVELS + 1) if (facts.bid == level).any()]


def bids_plot(facts: LadderFacts, labels: list[str]) -> Any:
    """The share of each bid among an agent's contracts, a row of bars for each agent."""
    order, levels = facts.standings.order, _levels(facts)
    drawing, all_axes = _axes(len(order), 8.6, 2.3, sharey=True)
    for axes, i in zip(all_axes, order, strict=True):
        counts = facts.contracts(i)[0]
        total = max(1, int(counts.sum()))
        axes.bar(range(len(levels)), counts[levels] / total, color=COLOURS[i % len(COLOURS)], width=0.8)
        axes.set_xticks(range(len(levels)), ["BP" if level > 6 else str(level) for level in levels])
        axes.grid(False, axis="x")
        axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f} %")
        axes.set_title(f"{_plain(labels[i])}\nn = {int(counts.sum()):,}", fontsize=7.5)
    return _svg(drawing)


def made_plot(facts: LadderFacts, labels: list[str]) -> Any:
    """The share of contracts made at each bid, with intervals; bids with few contracts are left out."""
    order, levels = facts.standings.order, _levels(facts)
    drawing, (axes,) = _axes(1, 8.6, 3.0)
    for place, i in enumerate(order):
        counts, made = facts.contracts(i)
        there = [k for k, level in enumerate(levels) if counts[level] >= 20]
        at = np.array(there, float) + 0.7 * ((place + 0.5) / len(order) - 0.5)
        shares = [made[levels[k]] / counts[levels[k]] for k in there]
        ends = [share_interval(int(made[levels[k]]), int(counts[levels[k]])) for k in there]
        colour = COLOURS[i % len(COLOURS)]
        axes.vlines(at, [low for low, _ in ends], [high for _, high in ends], color=colour, lw=2)
        axes.plot(at, shares, "o", color=colour, ms=5, label=_plain(labels[i]))
    axes.set_xticks(range(len(levels)), [bid_name(level) for level in levels])
    axes.set_xlim(-0.6, len(levels) - 0.4)
    axes.set_ylim(-0.03, 1.03)
    axes.grid(False, axis="x")
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f} %")
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    titled(axes, "", "bid of the contract", "made")
    return _svg(drawing)


def seats_plot(facts: LadderFacts, labels: list[str]) -> Any:
    """How often an agent's seat was the maker, and what its contracts scored, by seat."""
    order = facts.standings.order
    drawing, (often, scored) = _axes(2, 8.6, 3.0)
    for place, i in enumerate(order):
        counts, deals, points = facts.by_seat(i)
        at = np.arange(N_SEATS) + 0.7 * ((place + 0.5) / len(order) - 0.5)
        colour = COLOURS[i % len(COLOURS)]
        often.bar(at, counts / deals, 0.65 / len(order), color=colour, label=_plain(labels[i]))
        for seat, found in enumerate(points):
            low, high = mean_interval(found)
            if np.isfinite(low):
                scored.plot([at[seat]] * 2, [low, high], color=colour, lw=2)
                scored.plot([at[seat]], [found.mean()], "o", color=colour, ms=5)
    for axes in (often, scored):
        axes.set_xticks(range(N_SEATS), [seat.replace(" ", "\n") for seat in SEATS_FROM_DEALER])
        axes.grid(False, axis="x")
    often.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f} %")
    scored.axhline(0, color=BLACK, lw=0.8)
    titled(often, "Share of all deals in which this seat was the maker")
    titled(scored, "Points per contract, less the other side's")
    drawing.legend(
        *often.get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize=7.5
    )
    return _svg(drawing)
