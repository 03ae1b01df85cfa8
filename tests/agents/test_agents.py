"""The fixed agents: legal under every rule, a ladder in strength as a whole and part by part, blind to
hidden cards, and the same for the same chance."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from hpenv.agents.agent import Agent, make_agent, play_deals, streams_for
from hpenv.cards import NO_CARD, set_cards
from hpenv.rulebook import DEAL_OVER, DISCARD
from hpenv.rules import PRESETS, get_rules
from hpenv.seats import NOBODY
from hpenv.training.benchmark.matches import deal_tables, duplicate_match
from hpenv.view import VIEW, see_each
from plain_python import said_compiled_and_plain

PARTS = ("auction", "trump", "lead", "follow")
MIXTURE = "mixed:sensible_random,auction=uniform,lead=rule_based"
NAMES = ("uniform", "sensible_random", "rule_based", MIXTURE)
RULES: dict[str, Any] = {
    **{name: name for name in PRESETS},
    "one card": {"hand_size": 1, "bidding": "pepper"},
    "one card, dealer bids": {"hand_size": 1, "all_pass": "dealer_bids", "set_penalty": "bid"},
    "four cards": {"hand_size": 4, "alone_factor": 2, "defenders_score": True},
    "five cards, nobody alone": {"hand_size": 5, "alone": False, "bidding": "pepper"},
    "lone stakes": {"alone_factor": 2, "all_pass": "dealer_bids", "bidding": "pepper"},
}


def dealt(rules: str, seed: int, n: int) -> Any:
    """n tables, dealt."""
    return deal_tables(get_rules(RULES[rules]), seed, 0, n)


def played(rules: str, seed: int, n: int, seats: list[Agent]) -> Any:
    """n deals played out by four agents."""
    tables = dealt(rules, seed, n)
    play_deals(tables, seats, streams_for(seed, n))
    return tables


# ---- legality ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("name", NAMES)
def test_no_illegal_action_in_thousands_of_deals(name: str, rules: str) -> None:
    """`play_deals` raises at the first one. The agent meets itself, and wild partners and opponents."""
    agent, wild = make_agent(name), make_agent("uniform")
    for seed, seats in enumerate(([agent] * 4, [agent, wild] * 2, [agent, agent, wild, wild])):
        tables = played(rules, seed, 1000, seats)
        assert (tables["phase"] == DEAL_OVER).all()


# ---- strength ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", PRESETS)
def test_the_ladder(rules: str) -> None:
    for better, worse in (
        ("rule_based", "sensible_random"),
        ("sensible_random", "uniform"),
        ("rule_based", "uniform"),
    ):
        result = duplicate_match(better, worse, rules, deals=4000, seed=31)
        assert result.low > 0, f"{better} against {worse}: {result.mean:+.3f} from {result.low:+.3f}"


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("other", ["sensible_random", "uniform"])
def test_each_part_of_the_rule_based_agent_earns_its_keep(other: str, part: str, rules: str) -> None:
    """The same agent with one part played by another is worse: bidding, trump, leading, following."""
    result = duplicate_match("rule_based", f"mixed:rule_based,{part}={other}", rules, 4000, seed=32)
    assert result.low > 0, f"{part}: {result.mean:+.3f} from {result.low:+.3f}"


def test_an_agent_against_itself_scores_exactly_nothing() -> None:
    for name in NAMES:
        assert duplicate_match(name, name, "standard", deals=300, seed=33).mean == 0.0


def test_bids_are_sober() -> None:
    """Random bidding ends at the top, counted bids do not: the histograms are part of the ladder."""
    shares = {
        name: np.array(duplicate_match(name, name, "set_bid", 2000, seed=34).contracts(0).bids) / 2000
        for name in ("uniform", "sensible_random", "rule_based")
    }
    assert shares["uniform"][6] > 0.8
    assert shares["sensible_random"][2:5].sum() > 0.95
    assert shares["rule_based"][4:6].sum() > 0.9


# ---- mixed ------------------------------------------------------------------------------------


def test_mixed_plays_each_part_as_the_agent_named() -> None:
    """With all parts alike it is that agent, chance and all; a spec may name all parts and no rest."""
    for name in ("uniform", "sensible_random", "rule_based"):
        alone = played("house", 5, 100, [make_agent(name)] * 4).tobytes()
        parts = ",".join(f"{part}={name}" for part in PARTS)
        for spec in (f"mixed:{name}", f"mixed:{parts}", f"mixed:uniform,{parts}"):
            agent = make_agent(spec)
            assert agent.name == spec
            assert played("house", 5, 100, [agent] * 4).tobytes() == alone
        for part in PARTS:
            other = "uniform" if name == "rule_based" else "rule_based"
            odd = make_agent(f"mixed:{name},{part}={other}")
            assert played("house", 5, 100, [odd] * 4).tobytes() != alone


# ---- what an agent may depend on --------------------------------------------------------------


def redeal_hidden(table: Any, seat: int, rng: random.Random) -> None:
    """Deal all cards that the seat has not seen anew among the places where they lie."""
    others = [s for s in range(4) if s != seat]
    cards = [card for s in others for card in set_cards(table.hands[s])]
    secret = "widow" if table.maker == NOBODY or table.phase < DISCARD else "discard"
    has_secret = table.maker != seat and table[secret] != NO_CARD
    cards += [int(table[secret])] if has_secret else []
    rng.shuffle(cards)
    for s in others:
        table.hands[s] = sum(1 << cards.pop() for _ in set_cards(table.hands[s]))
    if has_secret:
        table[secret] = cards.pop()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_hidden_cards_change_nothing(name: str, seed: int) -> None:
    """Equal views and equal streams, equal actions, whatever the others hold."""
    agent, rng = make_agent(name), random.Random(seed)
    tables, streams = dealt("standard", seed, 60), streams_for(seed, 60)
    while (going := tables["phase"] != DEAL_OVER).any():
        rows = np.flatnonzero(going)
        others = tables[rows].copy()
        seats = others["to_act"].astype(np.int64)
        for table, seat in zip(others, seats, strict=True):
            redeal_hidden(table, int(seat), rng)
        views = np.zeros((2, len(rows)), VIEW)
        see_each(tables[rows], seats, views[0])
        see_each(others, seats, views[1])
        assert views[0].tobytes() == views[1].tobytes()
        own = [streams[rows, seats].copy() for _ in range(2)]
        actions = [agent.act(views[i], own[i]) for i in range(2)]
        assert (actions[0] == actions[1]).all()
        assert (own[0] == own[1]).all()
        streams[rows, seats] = own[0]
        for row, action in zip(rows, actions[0], strict=True):
            tables[row].step(int(action))


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_plays_the_same_deals(name: str) -> None:
    again = [played("house", 7, 200, [make_agent(name)] * 4).tobytes() for _ in range(2)]
    assert again[0] == again[1]
    uses_chance = name != "rule_based"
    tables = dealt("house", 7, 200)
    play_deals(tables, [make_agent(name)] * 4, streams_for(8, 200))
    assert (tables.tobytes() != again[0]) == uses_chance


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_a_batch_does_not_matter(name: str) -> None:
    """Deals played in any order, or in batches of any size, come out alike."""
    agents = [make_agent(name)] * 4
    together = played("pepper", 9, 60, agents)
    order = np.random.default_rng(9).permutation(60)
    shuffled, streams = dealt("pepper", 9, 60)[order], streams_for(9, 60)[order]
    play_deals(shuffled, agents, streams)
    assert shuffled.tobytes() == together[order].tobytes()
    for i in range(0, 60, 7):
        few = deal_tables(get_rules("pepper"), 9, i, 3)
        play_deals(few, agents, streams_for(9, 3, first=i))
        assert few[: 60 - i].tobytes() == together[i : i + 3].tobytes()


def test_a_watcher_sees_every_decision_before_it_is_made() -> None:
    """At each table the seats that act, in order; watching changes nothing."""
    tables, seen = dealt("house", 10, 40), [[] for _ in range(40)]  # type: ignore[var-annotated]

    def watch(rows: Any, views: Any) -> None:
        for row, view in zip(rows, views, strict=True):
            seen[row].append((int(view.history_length), int(view.seat), bool(view.legal)))

    agents = [make_agent("rule_based"), make_agent("uniform")] * 2
    play_deals(tables, agents, streams_for(10, 40), watch=watch)
    for table, told in zip(tables, seen, strict=True):
        n = int(table.history_length)
        assert told == [(i, int(table.history_seat[i]), True) for i in range(n)]
    assert tables.tobytes() == played("house", 10, 40, agents).tobytes()


def test_plain_python_plays_alike() -> None:
    """The same deals, records and all, with the compiler switched off."""
    texts = said_compiled_and_plain(PLAY_A_FEW)
    assert texts[0].count("\n") == 18
    assert texts[0] == texts[1]


PLAY_A_FEW = """
from hpenv.agents.agent import make_agent, play_deals, streams_for
from hpenv.notation import record_of, record_text
from hpenv.rules import get_rules
from hpenv.training.benchmark.matches import deal_tables
for rules in ("standard", "house", "mini3"):
    for name in ("uniform", "sensible_random", "rule_based"):
        tables = deal_tables(get_rules(rules), 3, 0, 2)
        play_deals(tables, [make_agent(name)] * 4, streams_for(3, 2))
        for table in tables:
            print(record_text(record_of(table)))
"""
