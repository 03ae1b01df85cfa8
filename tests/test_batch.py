"""Many tables at once play the very game that one table plays, decision for decision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hpenv.actions import ACTION_TEXT, N_ACTIONS
from hpenv.batch import Batch, choose_uniformly
from hpenv.cards import CARD_TEXT
from hpenv.observation import (
    HIDDEN_SIZE,
    OBSERVATION_SIZE,
    action_mask,
    observe,
    write_hidden,
    write_mask,
    write_observation,
)
from hpenv.rulebook import DEAL_OVER, legal_actions, new_game, next_deal
from hpenv.rules import PRESETS, Rules
from hpenv.seats import NOBODY
from hpenv.suits import UNLABEL, suit_order
from hpenv.table import new_tables
from hpenv.view import view_of
from naive_rules import NaiveGame, full_rules
from random_deals import MIXTURE, SHORT, mixture, random_actions


class Single:
    """One table by itself, with the options of a batch written out the plain way."""

    def __init__(self, i: int, rules: Rules, seed: int, options: dict[str, Any]) -> None:
        self.table = new_tables(1, rules, seed, first_index=i)[0]
        self.dealer = NOBODY if options.get("dealer") is None else options["dealer"]
        self.score = options.get("score", (0, 0))
        self.by_deal = options.get("episode") == "deal"
        self.by_win = options.get("reward") == "win"
        self.relabelled = options.get("suits") == "canonical"
        self.skip_forced = options.get("skip_forced", False)
        self.dtype = options.get("dtype", np.int8)
        new_game(self.table, self.dealer, *self.score)

    def shown(self) -> dict[str, Any]:
        """What the seat to act is shown, and the critic."""
        seat = int(self.table.to_act)
        view = view_of(self.table, seat)
        order = int(suit_order(view)) if self.relabelled else 0
        if self.relabelled:
            observation, mask = np.zeros(OBSERVATION_SIZE, self.dtype), np.zeros(N_ACTIONS, np.int8)
            write_observation(view, order, observation)
            write_mask(view, order, mask)
        else:
            observation, mask = observe(view, self.dtype), action_mask(view)
        hidden = np.zeros(HIDDEN_SIZE, np.int8)
        write_hidden(self.table, seat, order, hidden)
        bits = sum(1 << a for a in np.flatnonzero(mask).tolist())
        return {
            "masks": mask.tobytes(),
            "legal": bits,
            "seats": seat,
            "observations": observation.tobytes(),
            "hidden": hidden.tobytes(),
            "orders": order,
        }

    def step(self, action: int, order: int) -> dict[str, Any]:
        """Do an action, and forced ones after it if asked; what that brought."""
        brought: dict[str, Any] = {
            "rewards": [0.0] * 4,
            "terminated": False,
            "truncated": False,
            "deal_over": False,
            "steps": 0,
        }
        forced = [int(UNLABEL[order, action])]
        while len(forced) == 1:
            self.table.step(forced[0])
            brought["steps"] += 1
            if self.table.phase == DEAL_OVER:
                self.finish(brought)
            legal = legal_actions(self.table)
            forced = [a for a in range(N_ACTIONS) if legal >> a & 1] if self.skip_forced else []
        return brought

    def finish(self, brought: dict[str, Any]) -> None:
        """The deal is over: pay, and deal again or begin anew."""
        table = self.table
        north_south = float(table.points[0]) - float(table.points[1])
        if self.by_win:
            north_south = {NOBODY: 0.0, 0: 1.0, 1: -1.0}[int(table.winner)]
        for seat in range(4):
            brought["rewards"][seat] += north_south if seat in (0, 2) else -north_south
        brought["deal_over"] = True
        won, cap = table.winner != NOBODY, table.deals_played == table.max_deals
        if self.by_deal or won:
            brought["terminated"] = True
        elif cap:
            brought["truncated"] = True
        else:
            next_deal(table)
            return
        new_game(table, self.dealer, *self.score)


OPTIONS: list[dict[str, Any]] = [
    {"n": 1, "rules": "standard"},
    {"n": 3, "rules": "pepper", "suits": "canonical"},
    {"n": 64, "rules": "set_bid", "threads": 2},
    {"n": 64, "rules": "house", "skip_forced": True, "with_hidden": True},
    {"n": 64, "rules": "mini2", "reward": "win", "score": (9, 8), "dtype": np.float32},
    {"n": 64, "rules": "mini3", "episode": "deal", "skip_forced": True},
    {"n": 64, "rules": mixture(64), "suits": "canonical", "with_hidden": True, "threads": 2},
    {"n": 64, "rules": mixture(64), "suits": "canonical", "skip_forced": True, "dtype": np.float32},
    {"n": 64, "rules": mixture(64), "reward": "win", "score": (3, -7), "dealer": 2, "threads": 2},
    {"n": 3, "rules": MIXTURE[6:9], "episode": "deal", "score": (-2, 1), "with_hidden": True},
]


@pytest.mark.parametrize("options", OPTIONS, ids="-".join)
def test_a_batch_is_its_tables_one_by_one(options: dict[str, Any]) -> None:
    """Mask first, then everything else, then a step: 10,000 decisions for each choice of options."""
    batch, n = Batch(seed=11, **options), options["n"]
    singles = [Single(i, rules, 11, options) for i, rules in enumerate(batch.rules)]
    rng = np.random.default_rng(11)
    ends = 0
    for _ in range(10_000 // n):
        orders = []
        for i, single in enumerate(singles):
            shown = single.shown()
            orders.append(shown["orders"])
            for name, expected in shown.items():
                got = getattr(batch, name)
                if name != "hidden" or options.get("with_hidden"):
                    row = got[i].tobytes() if isinstance(expected, bytes) else int(got[i])
                    assert row == expected, f"{name} of table {i}:\n{single.table}"
        actions = random_actions(batch.masks, rng)
        batch.step(actions)
        for i, single in enumerate(singles):
            for name, expected in single.step(int(actions[i]), orders[i]).items():
                assert getattr(batch, name)[i].tolist() == expected, f"{name} of table {i}"
        ends += int((batch.terminated | batch.truncated).sum())
        for row, table in zip(batch.tables, (single.table for single in singles), strict=True):
            assert row.tobytes() == table.tobytes()
    assert ends


# ---- against the slow rules -------------------------------------------------------------------


@pytest.mark.parametrize("name", [*PRESETS, SHORT], ids=str)
def test_the_returns_of_a_game_are_its_score(name: Any) -> None:
    """Games told to the slow rules: same turns, same legal actions, and at the end every seat's return
    is its side's score minus the other's, its win +1, -1 or 0."""
    batch = Batch(3, name, seed=21)
    wins = Batch(3, name, seed=21, reward="win")
    rng = np.random.default_rng(21)
    games = [slow_game(name, batch, i) for i in range(3)]
    returns, played = np.zeros((3, 4)), 0
    while played < (12 if name is SHORT else 4):
        for i, game in enumerate(games):
            assert "NESW"[batch.seats[i]] == game.turn
            if rng.random() < 0.3:
                assert [ACTION_TEXT[a] for a in np.flatnonzero(batch.masks[i])] == game.legal()
        actions = random_actions(batch.masks, rng)
        batch.step(actions)
        wins.step(actions)
        returns += batch.rewards
        assert np.all(batch.rewards == batch.rewards[:, :1] * [1, -1, 1, -1])
        assert wins.observations.tobytes() == batch.observations.tobytes()
        for i, game in enumerate(games):
            game.do(ACTION_TEXT[actions[i]])
            assert game.is_over == (batch.terminated[i] or batch.truncated[i])
            won = 0.0
            if game.is_over:
                played += 1
                difference = game.score[0] - game.score[1]
                assert returns[i].tolist() == [difference, -difference, difference, -difference]
                assert (game.winner is not None) == batch.terminated[i]
                won = {"NS": 1.0, "EW": -1.0, None: 0.0}[game.winner]
                games[i], returns[i] = slow_game(name, batch, i), 0
            assert wins.rewards[i].tolist() == [won, -won, won, -won]


def slow_game(name: Any, batch: Batch, i: int) -> NaiveGame:
    """The game just begun at table i, for the slow rules; later deals are read off the table."""

    def cards(number: int) -> tuple[dict[str, list[str]], str]:
        table = batch.tables[i]
        k = int(table.hand_size)
        words = [CARD_TEXT[card] for card in table.pack[: 4 * k + 1]]
        return {seat: words[k * s : k * s + k] for s, seat in enumerate("NESW")}, words[-1]

    return NaiveGame(full_rules(name), "NESW"[batch.tables[i].dealer], cards)


def test_a_million_random_decisions() -> None:
    """No crash, and never a decision without a legal action; rewards always sum to nothing."""
    batch, decisions = Batch(2048, mixture(2048), seed=5, threads=2), 0
    states, actions = np.arange(2048, dtype=np.uint64), np.zeros(2048, np.int64)
    while decisions < 1_000_000:
        assert batch.masks.any(axis=1).all()
        choose_uniformly(batch.legal, states, actions)
        assert np.take_along_axis(batch.masks, actions[:, None], 1).all()
        batch.step(actions)
        decisions += batch.n
        assert not batch.rewards.sum(axis=1).any()
        assert not (batch.terminated & batch.truncated).any()


# ---- how episodes end -------------------------------------------------------------------------


def test_a_game_without_a_winner_is_truncated_at_its_cap() -> None:
    """R19: on the very step that ends deal number `max_deals`."""
    batch, rng = Batch(50, {"target": 1000, "max_deals": 3}, seed=3), np.random.default_rng(3)
    deals = np.zeros(50, int)
    for _ in range(400):
        batch.step(random_actions(batch.masks, rng))
        deals += batch.deal_over
        assert not batch.terminated.any()
        assert np.all(batch.truncated == (batch.deal_over & (deals == 3)))
        deals[batch.truncated] = 0
        assert np.all(batch.tables["deals_played"] == deals)


@pytest.mark.parametrize("dealer", [0, 1, 2, 3])
def test_every_episode_starts_from_the_score_and_dealer_given(dealer: int) -> None:
    """At reset and after every end; the cards are new each time."""
    batch, rng = Batch(8, "mini3", seed=2, score=(9, -4), dealer=dealer), np.random.default_rng(2)
    started, hands = np.ones(8, bool), set()
    for _ in range(200):
        for table in batch.tables[started]:
            assert (table.dealer, table.to_act) == (dealer, (dealer + 1) % 4)
            assert table.score.tolist() == [9, -4]
            hands.add(table.hands.tobytes())
        batch.step(random_actions(batch.masks, rng))
        started = batch.terminated | batch.truncated
    assert len(hands) > 10
    batch.reset()
    assert np.all(batch.tables["score"] == [9, -4])
    assert not any(array.any() for array in (batch.rewards, batch.terminated, batch.deal_over))
