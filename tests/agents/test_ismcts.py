"""Information set search: legal under every rule, blind to hidden cards, the same in any batch, and
right where nothing is hidden."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from hpenv.actions import BID, FACE_DOWN, N_ACTIONS, PASS, TRUMP
from hpenv.agents.agent import make_agent, play_deals, streams_for, whole_numbers
from hpenv.agents.ismcts_tree import NO_NODE, NODE, ROOT, new_scratch, search, select_child
from hpenv.agents.opinion import opinion_of
from hpenv.cards import FOLLOWERS, set_cards
from hpenv.double_dummy import solve_all_cards
from hpenv.rulebook import DEAL_OVER, DISCARD, PLAY, legal_actions
from hpenv.rules import PRESETS, get_rules
from hpenv.training.benchmark.matches import deal_tables, duplicate_match
from hpenv.view import VIEW, see_each, view_of
from hpenv.worlds import count_worlds
from plain_python import said_compiled_and_plain
from search_checks import assert_blind, assert_no_deal_is_refused

KINDS = (
    "iterations=9",
    "iterations=9,rollout=uniform,calls=tree",
    "iterations=9,rollout=sensible_random",
    "iterations=9,rollout=rule_based,calls=tree,exploration=0",
)
RULES: dict[str, Any] = {
    **{name: name for name in PRESETS},
    "one card": {"hand_size": 1, "bidding": "pepper"},
    "one card, dealer bids": {"hand_size": 1, "all_pass": "dealer_bids", "set_penalty": "bid"},
    "four cards": {"hand_size": 4, "alone_factor": 2, "defenders_score": True},
    "five cards, nobody alone": {"hand_size": 5, "alone": False, "bidding": "pepper"},
    "lone stakes": {"alone_factor": 2, "all_pass": "dealer_bids", "bidding": "pepper"},
}


def dealt(rules: str, seed: int, n: int, first: int = 0) -> Any:
    """n tables, dealt."""
    return deal_tables(get_rules(RULES[rules]), seed, first, n)


def views_at(tables: Any) -> Any:
    """The view of the seat to act at each table."""
    views = np.zeros(len(tables), VIEW)
    see_each(tables, tables["to_act"].astype(np.int64), views)
    return views


def midway(rules: str, seed: int, n: int) -> Any:
    """n tables of wild deals, each somewhere on the way, at a seat that has a choice."""
    rng = random.Random(seed)
    tables, found = dealt(rules, seed, n), dealt(rules, seed, n)
    for i, table in enumerate(tables):
        stop = rng.randrange(30)
        while table.phase != DEAL_OVER:
            legal = set_cards(legal_actions(table))
            if len(legal) > 1:
                found[i] = table
                if table.history_length >= stop:
                    break
            table.step(PASS if PASS in legal and rng.random() < 0.6 else rng.choice(legal))
    return found


# ---- legality ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("kind", KINDS)
def test_no_illegal_action_in_hundreds_of_deals(kind: str, rules: str) -> None:
    """`play_deals` raises at the first one. The agent meets itself, and wild partners and opponents."""
    agent, wild = make_agent(f"ismcts:{kind}"), make_agent("uniform")
    for seed, seats in enumerate(([agent] * 4, [agent, wild] * 2, [agent, agent, wild, wild])):
        tables = dealt(rules, seed, 100)
        play_deals(tables, seats, streams_for(seed, 100))
        assert (tables["phase"] == DEAL_OVER).all()


def test_forced_moves_cost_nothing() -> None:
    """With one legal action there is no search: no chance is used, and a search of a million iterations
    at each of hundreds of views would take minutes."""
    agent = make_agent("ismcts:iterations=1000000")
    tables = dealt("set_bid", 3, 300)
    play_deals(tables, [make_agent("rule_based")] * 4, streams_for(3, 300))
    last = dealt("set_bid", 3, 300)
    for table, end in zip(last, tables, strict=True):
        cards = [int(action) for action in end.history[: end.history_length]]
        for action in cards[:-1]:
            table.step(int(end.discard) if action == FACE_DOWN else action)
    last = last[last["phase"] == PLAY]
    assert len(last) > 200
    views, streams = views_at(last), np.arange(len(last)).astype(np.uint64)
    actions = whole_numbers(agent, views, streams)
    assert (1 << actions == views["legal"]).all()
    assert (streams == np.arange(len(last))).all()


# ---- what a decision may depend on ------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_stream_gives_the_same_decision_in_any_batch(kind: str) -> None:
    agent = make_agent(f"ismcts:{kind}")
    views, streams = views_at(midway("pepper", 5, 120)), streams_for(5, 120)[:, 0].copy()
    own = streams.copy()
    together = agent.act(views, own)
    assert (own != streams).all(), "a choice uses chance"
    order = np.random.default_rng(5).permutation(120)
    shuffled = streams[order]
    assert (agent.act(views[order], shuffled) == together[order]).all()
    assert (shuffled == own[order]).all()
    for i in range(0, 120, 11):
        one = streams[i : i + 1].copy()
        assert agent.act(views[i : i + 1], one)[0] == together[i]
        assert one[0] == own[i]
    assert (agent.act(views, streams + np.uint64(1)) != together).any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, 2])
def test_hidden_cards_change_nothing(kind: str, seed: int) -> None:
    agent = make_agent(f"ismcts:{kind}")
    for table in midway("house", seed, 40):
        assert_blind(agent, table, 3, seed, seed)


# ---- rightness --------------------------------------------------------------------------------


def tell_voids(table: Any) -> None:
    """Let everybody know which suits each seat holds none of, as if it had shown that before."""
    for seat in range(4):
        for suit in range(4):
            if not table.hands[seat] & FOLLOWERS[table.trump, suit]:
                table.voids |= 1 << (4 * seat + suit)


def known_positions(rules: str, seed: int, deals: int) -> Any:
    """Tables in the last two or three tricks whose seat to act knows where every card lies, and it
    matters which card it plays: found among random deals with all voids told. With what each card is
    worth exactly, (B, 25)."""
    tables, streams = dealt(rules, seed, deals), streams_for(seed, deals)[:, 0].copy()
    sober, found = make_agent("sensible_random"), []
    while (going := tables["phase"] != DEAL_OVER).any():
        tables, streams = tables[going], streams[going]
        views = views_at(tables)
        several = views["legal"] & (views["legal"] - 1) != 0
        late = (tables["phase"] == PLAY) & (tables["hand_size"] - tables["tricks_played"] <= 3)
        for i in np.flatnonzero(late & several):
            told = tables[i : i + 1].copy()
            tell_voids(told[0])
            widows = 1 if views[i].seat == views[i].maker else int(views[i].hand_size) + 1
            if count_worlds(views_at(told)[0]) == widows:
                found.append(told)
        actions = sober.act(views, streams)
        for table, action in zip(tables, actions, strict=True):
            table.step(int(action))
    positions = np.concatenate(found)
    worth = solve_all_cards(positions, "points")
    matters = np.nanmax(worth, axis=1) > np.nanmin(worth, axis=1)
    return positions[matters], worth[matters]


@pytest.mark.parametrize(("rules", "seed"), [("standard", 6), ("set_bid", 7), ("house", 8)])
def test_the_exact_answer_where_everything_is_known(rules: str, seed: int) -> None:
    """Against the solver with all hands open: the card chosen is worth most."""
    positions, worth = known_positions(rules, seed, 700)
    assert len(positions) >= 15
    for rollout in ("uniform", "rule_based"):
        agent = make_agent(f"ismcts:iterations=2000,rollout={rollout}")
        actions = agent.act(views_at(positions), np.arange(len(positions)).astype(np.uint64))
        chosen = worth[np.arange(len(worth)), actions]
        wrong = np.flatnonzero(chosen != np.nanmax(worth, axis=1))
        assert not len(wrong), f"{positions[wrong[0]]}\nplays {actions[wrong[0]]}, {worth[wrong[0]]}"


@pytest.mark.parametrize("seed", [1, 2])
def test_points_are_those_of_the_seats_own_side(seed: int) -> None:
    """Where all cards are known the chosen card's points come near its exact worth to the side of the
    seat, North-South or East-West."""
    positions, worth = known_positions("set_bid", seed, 400)
    agent = make_agent("ismcts:iterations=3000")
    for table, each in zip(positions, worth, strict=True):
        opinion = opinion_of(agent, view_of(table, int(table.to_act)), seed)
        assert opinion.points[opinion.action] == pytest.approx(np.nanmax(each), abs=0.5), table
    assert {int(table.to_act) & 1 for table in positions} == {0, 1}


def test_it_beats_random_play_clearly() -> None:
    for kind in ("iterations=100", "iterations=100,rollout=uniform,calls=tree"):
        for rules in ("set_bid", "standard", "mini3"):
            result = duplicate_match(f"ismcts:{kind}", "uniform", rules, deals=100, seed=8)
            assert result.low > 0.5, f"{kind}, {rules}: {result.mean:+.3f} from {result.low:+.3f}"


# ---- the tree ---------------------------------------------------------------------------------


def children(tree: Any, row: int) -> list[int]:
    """The rows of a node's children."""
    found, child = [], int(tree[row].first_child)
    while child != NO_NODE:
        found.append(child)
        child = int(tree[child].next_sibling)
    return found


def grown(view: Any, kind: str) -> Any:
    """The tree of a view."""
    settings = make_agent(f"ismcts:{kind}").settings  # type: ignore[attr-defined]
    scratch = new_scratch(settings.iterations)
    assert search(view, np.uint64(4), settings, scratch)[1]
    return scratch.tree


@pytest.mark.parametrize("calls", ["tree", "rollout"])
def test_the_visits_add_up(calls: str) -> None:
    """Each deal passes one node at each step down to the new one; nothing is chosen more often than it
    can be, and what is always legal could be chosen ever since it was added."""
    for table in midway("house", 11, 25):
        kind = f"iterations=400,calls={calls}"
        tree = grown(view_of(table, int(table.to_act)), kind)
        assert tree[ROOT].visits == 400
        waiting = [ROOT]
        while waiting:
            row = waiting.pop()
            below = children(tree, row)
            waiting += below
            assert len({int(tree[child].action) for child in below}) == len(below)
            visits = sum(int(tree[child].visits) for child in below)
            assert not below or visits == tree[row].visits - (row != ROOT)
            assert all(1 <= tree[child].visits <= tree[child].available for child in below)
        first = children(tree, ROOT)  # all legal in every world, and added first of all
        assert {int(tree[child].action) for child in first} == set(set_cards(legal_actions(table)))
        assert sorted(int(tree[c].available) for c in first) == list(range(401 - len(first), 401))


@pytest.mark.parametrize("calls", ["tree", "rollout"])
def test_the_tree_never_parts_at_a_discard_the_seat_cannot_see(calls: str) -> None:
    """Every discard of another seat is one edge, face down; one's own is the card."""
    hidden = open_ = 0
    for start in dealt("set_bid", 12, 6):
        me = int(start.to_act)
        tree = grown(view_of(start, me), f"iterations=4000,rollout=uniform,calls={calls}")
        waiting: list[tuple[int, Any]] = [(ROOT, start)]
        while waiting:
            row, table = waiting.pop()
            for child in children(tree, row):
                action = int(tree[child].action)
                if table.phase == DISCARD:
                    hidden += table.to_act != me
                    open_ += table.to_act == me
                    assert (action == FACE_DOWN) == (table.to_act != me)
                elif table.phase != PLAY:
                    after = table.copy()
                    after.step(action)
                    waiting.append((child, after))
    assert hidden > 10
    assert open_ > 10


def test_the_choice_of_a_node_worked_by_hand() -> None:
    """Three children, of means +1, 0 and 0 for North-South, chosen 4, 4 and 4 times, the third of which
    could have been chosen more often. The bound of UCB1 is mean + width * sqrt(ln available / visits).
    """
    tree: Any = np.zeros(4, NODE)
    tree["visits"] = 4
    for row, points, available in ((1, 4.0, 4), (2, 0.0, 4), (3, 0.0, 100)):
        tree[row].action, tree[row].points, tree[row].available = row, points, available
        tree[row].next_sibling = row + 1 if row < 3 else NO_NODE
    tree[ROOT].first_child = 1
    everything, north, east = 0b1110, 0, 1
    assert select_child(tree, ROOT, everything, north, 0.0) == 1
    assert select_child(tree, ROOT, everything, east, 0.0) == 2  # the first of those that cost nothing
    assert select_child(tree, ROOT, 0b1100, north, 0.0) == 2  # the best is not legal in this world
    # sqrt(ln 100 / 4) = 1.073, sqrt(ln 4 / 4) = 0.589: the bonus of the third is greater by 0.484.
    assert select_child(tree, ROOT, everything, north, 2.0) == 1
    assert select_child(tree, ROOT, everything, north, 2.1) == 3
    assert select_child(tree, ROOT, everything, east, 0.1) == 3


# ---- opinion ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["set_bid", "house", "mini2"])
def test_an_opinion_is_what_the_search_found(rules: str) -> None:
    agent = make_agent("ismcts:iterations=60")
    for table in midway(rules, 13, 40):
        view = view_of(table, int(table.to_act))
        opinion, views = opinion_of(agent, view, 2), np.zeros(1, VIEW)
        views[0] = view
        assert opinion.action == agent.act(views, streams_for(2, 1)[:, 0].copy())[0]
        assert opinion.probabilities.sum() == pytest.approx(1)
        assert opinion.probabilities[opinion.action] == opinion.probabilities.max()
        tried = opinion.probabilities > 0
        assert all(tried[a] == bool(legal_actions(table) >> a & 1) for a in range(N_ACTIONS))
        assert (np.isnan(opinion.points) == ~tried).all()
        assert (np.isnan(opinion.spread) == ~tried).all()
        assert (opinion.spread[tried] >= 0).all()
        assert opinion.worlds == 60


def test_a_sure_thing_has_no_spread() -> None:
    """The dealer has the six best spades, and another spade lies face down. If it passes as the fourth
    nobody scores (R6); as the maker it wins all six tricks in spades, whatever it discards."""
    table = dealt("set_bid", 1, 1)[0]
    sure = [24, 20, 2, 23, 22, 21]  # Jo JS JC AS KS QS
    hands = [[c for c in range(25) if c not in sure][6 * i : 6 * i + 6] for i in range(3)]
    hands.insert(int(table.dealer), sure)
    for seat, hand in enumerate(hands):
        table.hands[seat] = sum(1 << card for card in hand)
    table.widow = 19
    for _ in range(3):
        table.step(PASS)
    agent = make_agent("ismcts:iterations=2000")
    opinion = opinion_of(agent, view_of(table, int(table.to_act)))
    assert opinion.points[PASS] == opinion.spread[PASS] == 0
    assert opinion.action > BID
    assert opinion.points[opinion.action] > 4
    table.step(BID + 6)
    opinion = opinion_of(agent, view_of(table, int(table.to_act)))
    assert opinion.action == TRUMP + 3
    assert opinion.points[TRUMP + 3] == 6
    for action in (TRUMP + 3, 19):
        table.step(action)
        opinion, legal = (
            opinion_of(agent, view_of(table, int(table.to_act))),
            set_cards(legal_actions(table)),
        )
        assert (opinion.points[legal] == 6).all()
        assert (opinion.spread[legal] == 0).all()


def test_a_view_of_no_deal_is_refused() -> None:
    views = views_at(dealt("standard", 1, 1))
    views[0].hand &= views[0].hand - 1
    assert_no_deal_is_refused(make_agent("ismcts:iterations=5"), views)


def test_plain_python_searches_alike() -> None:
    """The same deals, record by record, with the compiler switched off."""
    texts = said_compiled_and_plain(PLAY_A_FEW)
    assert texts[0].count("\n") == 6
    assert texts[0] == texts[1]


PLAY_A_FEW = """
from hpenv.agents.agent import make_agent, play_deals, streams_for
from hpenv.notation import record_of, record_text
from hpenv.rules import get_rules
from hpenv.training.benchmark.matches import deal_tables
for rules, iterations in (("house", 4), ("mini3", 12)):
    for kind in ("rollout=uniform,calls=tree", "rollout=sensible_random", "rollout=rule_based"):
        tables = deal_tables(get_rules(rules), 3, 0, 1)
        agent = make_agent(f"ismcts:iterations={iterations},{kind}")
        play_deals(tables, [agent] * 4, streams_for(3, 1))
        print(record_text(record_of(tables[0])))
"""
