"""How much an opening lead loses against the best one, by the number of worlds a search looks at.

Deals are bid by `rule_based` up to the lead. The judge of a lead is `pimc` with many worlds: a lead
loses what the judge's best lead is worth more, in points of the deal. So the judge's own lead loses
nothing by definition, and small losses are as uncertain as its means; it draws other worlds than the
agents it judges.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from hpenv.agents.agent import make_agent, play_deals, see_at_tables, streams_for
from hpenv.agents.opinion import opinion_of
from hpenv.rulebook import PLAY
from hpenv.rules import Rules
from hpenv.seats import N_SEATS
from hpenv.training.benchmark.intervals import mean_interval
from hpenv.training.benchmark.matches import deal_tables
from hpenv.training.benchmark.outcomes import finite
from hpenv.view import VIEW


def lead_losses(
    rules: Rules,
    worlds: tuple[int, ...],
    judge: int = 1000,
    deals: int = 1000,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[dict[str, Any]]:
    """The mean loss of a random lead, of `rule_based` and of `pimc` with each number of worlds, with
    95 % intervals: dicts of name, rules, worlds (0 for no search), loss, low, high. low and high are
    None where nothing is known of them (`mean_interval`)."""
    agents = {name: make_agent(name) for name in ("rule_based", *(f"pimc:worlds={n}" for n in worlds))}
    judging = make_agent(f"pimc:worlds={judge}")
    views, streams = opening_leads(rules, deals, seed)
    chosen = {name: agent.act(views, streams.copy()) for name, agent in agents.items()}
    losses: dict[str, list[float]] = {name: [] for name in ("random", *agents)}
    for i, view in enumerate(views):
        if progress:
            progress(i, len(views))
        points = opinion_of(judging, view, seed + 1 + i).points
        best = np.nanmax(points)
        losses["random"].append(best - np.nanmean(points))
        for name, actions in chosen.items():
            losses[name].append(best - points[actions[i]])
    rows = []
    for name, each in losses.items():
        low, high = mean_interval(each)
        n = int(name.partition("=")[2] or 0)
        row = {"name": name, "rules": rules.name(), "worlds": n, "loss": float(np.mean(each))}
        rows.append(row | {"low": finite(low), "high": finite(high)})
    return rows


def opening_leads(rules: Rules, deals: int, seed: int) -> tuple[Any, Any]:
    """Views (B,) of seats to lead to the first trick with a choice, and a random stream for each."""
    bidder, found = make_agent("rule_based"), np.zeros(0, VIEW)
    streams = np.zeros(0, np.uint64)
    first = 0
    while len(found) < deals:
        tables, own = deal_tables(rules, seed, first, deals), streams_for(seed, deals, first)
        first += deals
        play_deals(tables, [bidder] * N_SEATS, own, until=PLAY)
        rows = np.flatnonzero(tables["phase"] == PLAY)
        views, asked = np.zeros(len(rows), VIEW), np.zeros(len(rows), np.uint64)
        see_at_tables(tables, rows, own, views, asked)
        choice = views["legal"] & (views["legal"] - 1) != 0
        found = np.concatenate([found, views[choice]])
        streams = np.concatenate([streams, asked[choice]])
    return found[:deals], streams[:deals]
