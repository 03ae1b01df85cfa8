"""The agents that see hidden cards: they play in matches and nowhere else, and see what they are said
to see."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from hpenv.agents.agent import make_agent, play_deals, streams_for
from hpenv.agents.human.game import Game
from hpenv.agents.opinion import opinion_of
from hpenv.cards import set_cards
from hpenv.double_dummy import solve_all_cards
from hpenv.rulebook import AUCTION, DEAL_OVER, DISCARD, NAME_TRUMP, PLAY
from hpenv.rules import PRESETS, get_rules
from hpenv.training.benchmark.matches import deal_tables, duplicate_match
from hpenv.training.options import Args, check
from hpenv.view import view_of
from random_deals import RULES
from slow_search import RULES_AGENT, choices, done_by, slow_points, views_at

NAMES = ("oracle_partner", "oracle_all")
SENTENCE = "agent {} sees hidden cards: it plays only in matches .hpenv evaluate., not from a view"


def seat_at(tables: list[Any]) -> Any:
    """Tables as one array."""
    return np.array(tables, tables[0].dtype)


# ---- only in matches --------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_it_refuses_to_act_from_a_view(name: str) -> None:
    """In a game against a person, as a hint, as an opinion and as a part of a mixed agent."""
    views = views_at(deal_tables(get_rules("standard"), 1, 0, 2))
    agent, sentence = make_agent(name), SENTENCE.format(name)
    with pytest.raises(ValueError, match=sentence):
        agent.act(views, np.zeros(2, np.uint64))
    with pytest.raises(ValueError, match=sentence):
        opinion_of(agent, views[0])
    with pytest.raises(ValueError, match=sentence):
        Game("standard", 3, 0, ["rule_based", name, "rule_based", "rule_based"])
    game = Game("standard", 3, 0, "rule_based")
    with pytest.raises(ValueError, match=sentence):
        game.hint(["rule_based", name])
    assert game.view.legal, "the game goes on"
    for part in ("auction", "lead", "follow"):
        with pytest.raises(ValueError, match=sentence):
            make_agent(f"mixed:rule_based,{part}={name}")
    with pytest.raises(ValueError, match=sentence):
        check(Args(fixed_opponents=("rule_based", name)))


@pytest.mark.parametrize("words", [["--opponents", "oracle_all"], ["--hints", "oracle_all"]])
def test_hpenv_play_refuses_in_a_sentence(words: list[str], tmp_path: Any) -> None:
    command = [sys.executable, "-m", "hpenv.training.cli.main", "play", "--seed", "5", *words]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"XDG_DATA_HOME": str(tmp_path)},
    )
    said = " ".join((done.stdout + done.stderr).split())
    assert "agent oracle_all sees hidden cards: it plays only in matches" in said
    assert "Traceback" not in said
    assert not list(tmp_path.rglob("*.json")), "no game has begun"


# ---- what they see ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["set_bid", "house", "mini3", "five cards"])
def test_the_partners_real_hand_is_in_every_world(name: str) -> None:
    """In every phase, the partner being the maker or not, or sitting out; and the other hands vary."""
    agent: Any = make_agent("oracle_partner:worlds=4,belief=uniform")
    scratch, met, varied = agent.pimc.scratch, set(), 0
    for number, table in enumerate(choices(name, 31, 40)):
        if number % 3 and not table.sitting_out and table.phase not in (NAME_TRUMP, DISCARD):
            continue
        seat = int(table.to_act)
        partner, left = (seat + 2) % 4, (seat + 1) % 4
        scratch.hands[:] = -1
        agent.act_oracle(seat_at([table]), np.array([number], np.uint64))
        looked = scratch.hands[scratch.hands[:, 0] >= 0]
        assert 1 <= len(looked) <= 4
        assert (looked[:, partner] == table.hands[partner]).all(), table
        assert (looked[:, seat] == table.hands[seat]).all()
        varied += (looked[:, left] != table.hands[left]).any()
        met.add((int(table.phase), table.maker == partner, bool(table.sitting_out >> partner & 1)))
    assert varied > 30
    assert {phase for phase, _, _ in met} >= {AUCTION, NAME_TRUMP, DISCARD, PLAY}
    assert (PLAY, True, False) in met


@pytest.mark.parametrize("name", ["set_bid", "house", "mini3"])
def test_oracle_partner_knows_no_more(name: str) -> None:
    """Tables that differ only in the opponents' hands, the widow and what an opponent discarded are the
    same to it."""
    agent: Any = make_agent("oracle_partner:worlds=3")
    moved = 0
    for number, table in enumerate(list(choices(name, 32, 20))[::3]):
        seat = int(table.to_act)
        partner, left, right = (seat + 2) % 4, (seat + 1) % 4, (seat + 3) % 4
        tables = seat_at([table, table])
        hands = tables[1].hands
        if table.voids == 0 and table.maker not in (left, right):  # else not all exchanges are possible
            a, b = set_cards(hands[left])[0], set_cards(hands[right])[-1]
            both = 1 << a | 1 << b
            hands[left] ^= both
            hands[right] ^= both
            moved += 1
        tables[1].key += np.uint64(1)
        tables[1].pack[:] = 0
        actions = agent.act_oracle(tables, np.full(2, number, np.uint64))
        assert actions[0] == actions[1], table
        assert tables[1].hands[partner] == table.hands[partner]
    assert moved > 10


@pytest.mark.parametrize("name", ["set_bid", "standard", "house", "mini3"])
def test_oracle_all_plays_the_best_card_and_makes_the_best_call(name: str) -> None:
    """By the solver, and by `rule_based` playing on, with the cards as they lie; that of `rule_based`
    among equals."""
    for spec in ("oracle_all", "oracle_all:bidding=played", "oracle_all:bidding=rule_based"):
        agent: Any = make_agent(spec)
        met = {"same": 0, "other": 0}
        for table in list(choices(name, 33, 20))[:: 3 if "bidding" in spec else 7]:
            action = int(agent.act_oracle(seat_at([table]), np.zeros(1, np.uint64))[0])
            usual = done_by(RULES_AGENT, table)
            if table.phase == PLAY:
                worth = dict(enumerate(solve_all_cards(seat_at([table]), "points")[0]))
            elif "rule_based" in spec:
                worth = {usual: 0}
            else:
                worth = slow_points(table, "played" not in spec)
            best = np.nanmax(list(worth.values()))
            expected = usual if worth[usual] == best else min(a for a in worth if worth[a] == best)
            assert action == expected, table
            met["same" if action == usual else "other"] += 1
        assert min(met.values()) > 0, met


# ---- in matches -------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("name", ["oracle_partner:worlds=3", "oracle_all"])
def test_no_illegal_action(name: str, rules: str) -> None:
    """`play_deals` raises at the first one: with itself, with wild partners and against them."""
    agent, wild = make_agent(name), make_agent("uniform")
    for seed, seats in enumerate(([agent] * 4, [agent, wild] * 2, [agent, agent, wild, wild])):
        tables = deal_tables(get_rules(RULES[rules]), seed, 0, 8)
        play_deals(tables, seats, streams_for(seed, 8))
        assert (tables["phase"] == DEAL_OVER).all()


@pytest.mark.parametrize("rules", PRESETS)
def test_who_sees_more_wins(rules: str) -> None:
    """Every card against the partner's hand, and either against nobody's; the same again."""
    deals = 50
    for a, b in (("oracle_all", "rule_based"), ("oracle_partner:worlds=5", "uniform")):
        result = duplicate_match(a, b, rules, deals, seed=34)
        assert result.low > 0, f"{a}, {b}: {result.mean:+.3f} from {result.low:+.3f}"
    once, again = (
        duplicate_match("oracle_partner:worlds=3", "oracle_all", rules, 6, seed=5) for _ in "12"
    )
    assert (once.outcomes == again.outcomes).all()
    assert once.mean <= 0


def test_views_show_what_they_did_before() -> None:
    """What a seat may know has not grown: a view is made by the same function as ever."""
    table = deal_tables(get_rules("standard"), 1, 0, 1)[0]
    before = view_of(table, 1).tobytes()
    make_agent("oracle_all").act_oracle(seat_at([table]), np.zeros(1, np.uint64))  # type: ignore[attr-defined]
    assert view_of(table, 1).tobytes() == before
