"""Search over worlds: legal under every rule, the same in any batch, blind to hidden cards, and right:
its points against the same worlds played out slowly or solved one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hpenv.actions import ALONE, BID, PASS
from hpenv.agents.agent import make_agent, play_deals, streams_for
from hpenv.agents.opinion import call_text, opinion_of
from hpenv.agents.pimc_search import CAUTION, best_action, evaluate_worlds, new_scratch
from hpenv.cards import FOLLOWERS, set_cards
from hpenv.double_dummy import solve_all_cards
from hpenv.rulebook import AUCTION, DEAL_OVER, DISCARD, MAKER_ALONE, NAME_TRUMP, PLAY, legal_actions
from hpenv.rules import PRESETS, get_rules
from hpenv.training.benchmark.matches import deal_tables, duplicate_match
from hpenv.view import view_of
from hpenv.worlds import count_worlds, numbered_worlds
from plain_python import said_compiled_and_plain
from random_deals import RULES, copy_of
from search_checks import assert_blind, assert_no_deal_is_refused
from slow_search import (
    RULES_AGENT,
    choices,
    done_by,
    slow_points,
    slow_table,
    slow_weight,
    views_at,
    ways_of,
)

KINDS = (
    "worlds=5,bidding=played",
    "worlds=5,bidding=played,belief=uniform",
    "worlds=5,bidding=rule_based",
    "worlds=2",
    "worlds=3,bidding=played,belief=learned",
)
ALL_RULES: dict[str, Any] = RULES | {
    "one card, dealer bids": {"hand_size": 1, "all_pass": "dealer_bids", "set_penalty": "bid"},
    "four cards": {"hand_size": 4, "alone_factor": 2, "defenders_score": True},
}


def agent_of(kind: str) -> Any:
    """A new agent of this kind, with nothing remembered."""
    return make_agent(f"pimc:{kind}")


# ---- legality ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ALL_RULES)
@pytest.mark.parametrize("kind", KINDS)
def test_no_illegal_action(kind: str, rules: str) -> None:
    """`play_deals` raises at the first one. The agent meets itself, and wild partners and opponents."""
    agent, wild = agent_of(kind), make_agent("uniform")
    chosen = get_rules(ALL_RULES[rules])
    n = 25 if "bidding" in kind else 2
    for seed, seats in enumerate(([agent] * 4, [agent, wild] * 2, [agent, agent, wild, wild])):
        tables = deal_tables(chosen, seed, 0, n)
        play_deals(tables, seats, streams_for(seed, n))
        assert (tables["phase"] == DEAL_OVER).all()


def test_forced_moves_use_no_chance_and_no_time() -> None:
    """With one legal action nothing is searched: ten thousand worlds at hundreds of views would take
    minutes. With `bidding=rule_based` no call is."""
    tables = [
        copy_of(table)
        for seed in range(2)
        for table in deals_on_the_way("set_bid", seed, 40)
        if legal_actions(table) & (legal_actions(table) - 1) == 0
    ]
    assert len(tables) > 100
    streams = np.arange(len(tables)).astype(np.uint64)
    actions = agent_of("worlds=10000").act(views_at(tables), streams)
    assert [1 << int(action) for action in actions] == [legal_actions(table) for table in tables]
    assert (streams == np.arange(len(tables))).all()
    calls = [table for table in choices("house", 3, 20) if table.phase != PLAY]
    streams = np.arange(len(calls)).astype(np.uint64)
    actions = agent_of("worlds=10000,bidding=rule_based").act(views_at(calls), streams)
    assert [int(action) for action in actions] == [done_by(RULES_AGENT, table) for table in calls]
    assert (streams == np.arange(len(calls))).all()


def deals_on_the_way(rules: str, seed: int, n: int) -> Any:
    """Each position of n deals that `rule_based` plays."""
    for table in deal_tables(get_rules(rules), seed, 0, n):
        while table.phase != DEAL_OVER:
            yield table
            table.step(done_by(RULES_AGENT, table))


# ---- what a decision may depend on ------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_stream_gives_the_same_decision_in_any_company(kind: str) -> None:
    """Tables of several rules in one batch, in another order, alone, and asked of an agent that has
    looked at nothing before."""
    tables = [t for name in ("house", "mini3", "standard") for t in list(choices(name, 5, 9))[::4]]
    n = len(tables)
    assert n > 40
    views, streams = views_at(tables), streams_for(5, n)[:, 0].copy()
    agent, own = agent_of(kind), streams.copy()
    together = agent.act(views, own)
    searched = (views["phase"] == PLAY) | ("bidding=rule_based" not in kind)
    assert ((own != streams) == searched).all(), "a choice uses chance"
    order = np.random.default_rng(5).permutation(n)
    shuffled = streams[order]
    assert (agent.act(views[order], shuffled) == together[order]).all()
    assert (shuffled == own[order]).all()
    fresh = agent_of(kind)
    for i in range(0, n, 7):
        one = streams[i : i + 1].copy()
        assert fresh.act(views[i : i + 1], one)[0] == together[i]
        assert one[0] == own[i]
    assert (agent.act(views, streams + np.uint64(1)) != together).any()


@pytest.mark.parametrize("kind", KINDS)
def test_hidden_cards_change_nothing(kind: str) -> None:
    agent = agent_of(kind)
    for number, table in enumerate(list(choices("house", 6, 12))[::6]):
        assert_blind(agent, table, 3, number, 7)


# ---- the worlds looked at ---------------------------------------------------------------------


def looked_at(agent: Any, view: Any, stream: int) -> tuple[int, bool]:
    """Let an agent look at worlds; returns how many, and whether there are more."""
    _, n, sampled = evaluate_worlds(
        view, np.int64(0), np.uint64(stream), *agent.settings, agent.scratch
    )
    return int(n), bool(sampled)


def worlds_in(scratch: Any, n: int) -> list[tuple[Any, int, int]]:
    """The worlds looked at: hands, discard, widow."""
    return [
        (scratch.hands[w].copy(), int(scratch.discards[w]), int(scratch.widows[w])) for w in range(n)
    ]


def test_how_many_worlds_are_looked_at() -> None:
    """All ways to lay the unseen cards, each once, where there are no more than wanted, weighed in the
    main way of belief; else as many as are wanted, all with the same weight."""
    kinds = {"few": 0, "kept": 0, "drawn": 0}
    for table in choices("mini3", 8, 30):
        view, ways = view_of(table, int(table.to_act)), ways_of(view_of(table, int(table.to_act)))
        for belief in ("uniform", "rule_based"):
            agent = agent_of(f"worlds=30,belief={belief}")
            n, sampled = looked_at(agent, view, 9)
            assert n == min(ways, 30)
            assert sampled == (ways > 30)
            found = {(*hands.tolist(), down) for hands, down, _ in worlds_in(agent.scratch, n)}
            if not sampled:
                assert len(found) == n
            expected = [1.0] * n
            if belief == "rule_based" and not sampled:
                expected = [slow_weight(view, *world) for world in worlds_in(agent.scratch, n)]
            np.testing.assert_allclose(agent.scratch.weights[:n], expected)
            kinds["drawn" if ways > 240 else "kept" if sampled else "few"] += 1
    assert min(kinds.values()) > 10, kinds


def test_one_world_kept_of_eight_is_any() -> None:
    """After the top bid of the first seat, which has asked nobody, all 90 ways are equally likely: so
    often is each the one world looked at."""
    table = deal_tables(get_rules("mini2"), 10, 0, 1)[0]
    table.step(BID + 2)
    assert table.phase == NAME_TRUMP
    view, agent = view_of(table, int(table.to_act)), agent_of("worlds=1")
    assert ways_of(view) == 90
    met: dict[tuple[int, ...], int] = {}
    for stream in range(90 * 40):
        assert looked_at(agent, view, stream * 1_000_003) == (1, True)
        hands = tuple(agent.scratch.hands[0].tolist())
        met[hands] = met.get(hands, 0) + 1
    square = sum((often - 40) ** 2 / 40 for often in met.values()) + 40 * (90 - len(met))
    assert abs(square - 89) < 4 * np.sqrt(2 * 89), square


# ---- points -----------------------------------------------------------------------------------


def few_worlds(rules: str, seed: int, deals: int, most: int = 60) -> list[Any]:
    """Positions in the play with at most so many ways to lay the unseen cards, fewest first. Most of
    them with the voids of all seats told, as if they had been shown before."""
    found: list[tuple[int, int, Any]] = []
    for number, table in enumerate(choices(rules, seed, deals)):
        if table.phase != PLAY or (rules not in ("mini2", "mini3") and table.tricks_played < 3):
            continue
        if number % 4:
            for seat in range(4):
                for suit in range(4):
                    if not table.hands[seat] & FOLLOWERS[table.trump, suit]:
                        table.voids |= 1 << (4 * seat + suit)
        if (ways := ways_of(view_of(table, int(table.to_act)))) <= most:
            found.append((ways, number, table))
    return [table for _, _, table in sorted(found)]


@pytest.mark.parametrize(
    ("rules", "seed", "deals"), [("set_bid", 11, 60), ("house", 12, 60), ("mini3", 13, 70)]
)
def test_points_of_cards_are_means_over_all_worlds(rules: str, seed: int, deals: int) -> None:
    """Each world solved by itself, all given the same weight or that of belief; and where there is one
    world the best card is chosen and nothing varies."""
    even, weighed = agent_of("worlds=60,belief=uniform"), agent_of("worlds=60")
    tables = few_worlds(rules, seed, deals)
    tables = tables[:8] + tables[8 :: max(1, len(tables) // 20)]
    single, unlike = 0, 0
    for table in tables:
        view = view_of(table, int(table.to_act))
        worlds: Any = np.array([slow_table(view, *w) for w in zip(*all_ways(view), strict=True)])
        worth = solve_all_cards(worlds, "points")
        opinion = opinion_of(even, view)
        assert opinion.worlds == len(worth)
        np.testing.assert_allclose(opinion.points[:25], worth.mean(axis=0), atol=1e-9)
        np.testing.assert_allclose(opinion.spread[:25], worth.std(axis=0), atol=1e-6)
        assert opinion.points[opinion.action] >= np.nanmax(opinion.points) - 1e-9
        opinion = opinion_of(weighed, view)
        looked = worlds_in(weighed.scratch, opinion.worlds)
        weights = np.array([slow_weight(view, *world) for world in looked])
        worth = solve_all_cards(np.array([slow_table(view, *w) for w in looked]), "points")
        mean = weights @ worth / weights.sum()
        np.testing.assert_allclose(opinion.points[:25], mean, atol=1e-9)
        assert opinion.points[opinion.action] >= np.nanmax(mean) - 1e-9
        unlike += abs(np.nan_to_num(mean - worth.mean(axis=0))).max() > 0.01
        if len(worth) == 1:
            single += 1
            assert worth[0, opinion.action] == np.nanmax(worth)
            assert np.nanmax(opinion.spread) == 0
    assert len(tables) > 20
    assert unlike > 2
    assert single > 1


def all_ways(view: Any) -> Any:
    """Each way to lay the unseen cards, with the first widow there may be: hands, discards, widows."""
    each = ways_of(view)
    return numbered_worlds(view, np.arange(each) * (count_worlds(view) // each))


@pytest.mark.parametrize("rules", [*PRESETS, "no alone", "five cards", "one card"])
def test_points_of_calls_are_what_comes_of_them(rules: str) -> None:
    """Each world looked at, played on slowly by `rule_based` in all seats, or solved."""
    kinds = [
        agent_of("worlds=2,bidding=played"),
        agent_of("worlds=2,bidding=played,belief=uniform"),
        agent_of("worlds=1"),
    ]
    phases = set()
    tables = [table for table in choices(rules, 14, 30) if table.phase != PLAY]
    wanted = [t for t in tables if t.phase != AUCTION][:6] + [t for t in tables if t.phase == AUCTION][
        ::4
    ][:5]
    for number, table in enumerate(wanted):
        phases.add(int(table.phase))
        view = view_of(table, int(table.to_act))
        for agent in kinds:
            n, _ = looked_at(agent, view, number)
            for w, world in enumerate(worlds_in(agent.scratch, n)):
                points = slow_points(slow_table(view, *world), agent is kinds[2])
                found = {action: int(agent.scratch.points[w, action]) for action in points}
                assert found == points, f"{table}\n{world}"
    assert phases >= {AUCTION, NAME_TRUMP, DISCARD}
    assert get_rules(RULES[rules]).alone == (MAKER_ALONE in phases) or rules == "one card"


# ---- the choice -------------------------------------------------------------------------------


def test_the_choice_worked_by_hand() -> None:
    """Passing comes to nothing in four worlds. A bid of 2, 0, 2, 0 is worth 1 and its standard error is
    a half: it is made. One of 3, -1, 3, -1 is worth 1, too, give or take 1: not if caution is asked."""
    assert 1 <= CAUTION < 2
    scratch, both, three = (
        new_scratch(4),
        1 << PASS | 1 << BID + 1,
        1 << PASS | 1 << BID + 1 | 1 << BID + 2,
    )
    scratch.weights[:4] = 1
    scratch.points[:, BID + 1] = [2, 0, 2, 0]
    for cautious in (False, True):
        assert best_action(both, PASS, 4, cautious, scratch) == BID + 1
    scratch.points[:, BID + 1] = [3, -1, 3, -1]
    assert best_action(both, PASS, 4, False, scratch) == BID + 1
    assert best_action(both, PASS, 4, True, scratch) == PASS
    # Where passing varies alike, the difference is sure.
    scratch.points[:, PASS] = [2, -2, 2, -2]
    assert best_action(both, PASS, 4, True, scratch) == BID + 1
    # Of equals that of rule_based, then the first; a difference by rounding is none.
    scratch.points[:, PASS] = scratch.points[:, BID + 1]
    assert best_action(both, PASS, 4, False, scratch) == PASS
    assert best_action(both, BID + 1, 4, True, scratch) == BID + 1
    scratch.points[:, BID + 1] += 1e-10
    assert best_action(both, PASS, 4, False, scratch) == PASS
    scratch.points[:, BID + 1] = scratch.points[:, BID + 2] = 5
    assert best_action(three, PASS, 4, True, scratch) == BID + 1
    assert best_action(three, BID + 2, 4, True, scratch) == BID + 2
    scratch.points[:, BID + 2] = 6
    assert best_action(both, PASS, 4, True, scratch) == BID + 1, "a bid of two is not legal"
    # Only the first worlds count, and by their weights: (3 * 1 - 1 * 5) / 4 is less than nothing.
    scratch.points[:, PASS], scratch.points[:, BID + 1] = 0, [1, -5, 99, 99]
    scratch.weights[:4] = [3, 1, 0, 0]
    assert best_action(both, PASS, 4, False, scratch) == PASS
    scratch.weights[:4] = [6, 1, 1, 1]
    assert best_action(both, PASS, 2, False, scratch) == BID + 1
    assert best_action(both, PASS, 2, True, scratch) == PASS


@pytest.mark.parametrize(
    ("rules", "worlds", "deals"),
    [("set_bid", 20, 40), ("house", 20, 40), ("standard", 20, 40), ("one card", 30, 150)],
)
def test_the_choice_from_the_points(rules: str, worlds: int, deals: int) -> None:
    """A card is that of `rule_based` if none is better, else the best; a call must be better by CAUTION
    standard errors if the worlds are a sample, but not if they are all there are. Where the opinion's
    table has a better action than the one chosen, the note says why."""
    agent, met = agent_of(f"worlds={worlds}"), {"as the rules": 0, "better": 0, "unsure": 0}
    for table in list(choices(rules, 15, deals))[::3]:
        view = view_of(table, int(table.to_act))
        opinion = opinion_of(agent, view, 3)
        points, weights = (
            agent.scratch.points[: opinion.worlds],
            agent.scratch.weights[: opinion.worlds],
        )
        best = usual = done_by(RULES_AGENT, table)
        for action in set_cards(legal_actions(table)):
            if opinion.points[action] > opinion.points[best] + 1e-9:
                best = action
        more = points[:, best] - points[:, usual]
        unsure = more.mean() <= CAUTION * more.std() / np.sqrt(len(more)) and table.phase != PLAY
        expected = best
        note = ""
        if best != usual and unsure and ways_of(view) > worlds:
            assert (weights == 1).all()
            expected = usual
            note = (
                f"too close to call, keeps the call of rule_based: {call_text(view, best)} is ahead by "
                f"{more.mean():.2f} points, standard error {more.std() / np.sqrt(len(more)):.2f}"
            )
        assert opinion.note == note
        # Sums of weights may differ in the last digit: then equals are equals.
        equals = (weights != 1).any() and best != usual
        assert opinion.action == expected or (
            equals and opinion.points[opinion.action] >= opinion.points[best] - 1e-9
        ), table
        met["as the rules" if best == usual else "unsure" if unsure else "better"] += 1
    assert min(met.values()) > 0, met


def test_it_is_strong() -> None:
    for other, rules, deals, least in (
        ("uniform", "set_bid", 50, 3),
        ("uniform", "standard", 50, 1),
        ("rule_based", "mini3", 400, 0),
        ("rule_based", "set_bid", 150, -0.5),
    ):
        result = duplicate_match("pimc:worlds=10", other, rules, deals, seed=17)
        assert result.low > least, f"{other}, {rules}: {result.mean:+.3f} from {result.low:+.3f}"


# ---- opinion ---------------------------------------------------------------------------------


def test_a_sure_thing_has_no_spread() -> None:
    """The dealer has the six best spades and another lies face down: passing is worth nothing as the
    fourth (R6), and six tricks are sure, alone or not."""
    table = deal_tables(get_rules("set_bid"), 1, 0, 1)[0]
    sure = [24, 20, 2, 23, 22, 21]  # Jo JS JC AS KS QS
    hands = [[card for card in range(25) if card not in sure][6 * i : 6 * i + 6] for i in range(3)]
    hands.insert(int(table.dealer), sure)
    for seat, hand in enumerate(hands):
        table.hands[seat] = sum(1 << card for card in hand)
    table.widow = 19
    for _ in range(3):
        table.step(PASS)
    for kind in ("worlds=20,bidding=played", "worlds=5"):
        opinion = opinion_of(agent_of(kind), view_of(table, int(table.to_act)))
        assert opinion.points[PASS] == opinion.spread[PASS] == 0
        assert opinion.points[BID + 6] == pytest.approx(6)
        assert opinion.action > PASS
    for action in (BID + 6, 36, 19):
        table.step(action)
        opinion = opinion_of(agent_of("worlds=20"), view_of(table, int(table.to_act)))
        assert opinion.points[opinion.action] == pytest.approx(6)
        assert opinion.spread[opinion.action] == pytest.approx(0, abs=1e-6)
    assert opinion.points[ALONE] == pytest.approx(6)


def test_a_view_of_no_deal_is_refused() -> None:
    """Where there is a choice; and no opinion is given of it even where there is none."""
    views = views_at(deal_tables(get_rules("standard"), 1, 0, 1))
    views[0].hand &= views[0].hand - 1
    for kind in KINDS:
        assert_no_deal_is_refused(agent_of(kind), views, acts="bidding=rule_based" not in kind)


def test_plain_python_searches_alike() -> None:
    """The same deals, record by record, with the compiler switched off."""
    texts = said_compiled_and_plain(PLAY_A_FEW)
    assert texts[0].count("\n") == 3
    assert texts[0] == texts[1]


PLAY_A_FEW = """
from hpenv.agents.agent import make_agent, play_deals, streams_for
from hpenv.notation import record_of, record_text
from hpenv.rules import get_rules
from hpenv.training.benchmark.matches import deal_tables
for spec in ("pimc:worlds=2,bidding=played", "pimc:worlds=2", "oracle_partner:worlds=2"):
    tables = deal_tables(get_rules("mini3"), 3, 0, 1)
    play_deals(tables, [make_agent(spec)] * 4, streams_for(3, 1))
    print(record_text(record_of(tables[0])))
"""
