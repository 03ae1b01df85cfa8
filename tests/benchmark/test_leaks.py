"""Who plays by views cannot know what is hidden; an agent that was shown a hidden card is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hpenv.actions import BID, PASS
from hpenv.agents.agent import make_agent, play_deals, streams_for
from hpenv.cards import JOKER
from hpenv.rulebook import AUCTION
from hpenv.rules import get_rules
from hpenv.training.benchmark.matches import deal_tables
from leaks import AskedTwice, views_at


def asked_twice(agent: Any, rules: str, deals: int) -> AskedTwice:
    """The agent after it has played some deals with itself."""
    twice = AskedTwice(agent)
    play_deals(deal_tables(get_rules(rules), 3, 0, deals), [twice] * 4, streams_for(3, deals))
    return twice


class Shown:
    """Plays as `rule_based`, but bids one first where a hidden card, the widow or one of its partner's,
    is the joker. By its views alone it could not."""

    def __init__(self, card: str) -> None:
        self.card, self.name = card, f"shown the {card}"
        self.fair = make_agent("rule_based")

    def act(self, views: Any, streams: Any) -> Any:
        return self.fair.act(views, streams)

    def act_oracle(self, tables: Any, streams: Any) -> Any:
        actions = self.fair.act(views_at(tables), streams)
        partners = tables["hands"][np.arange(len(tables)), (tables["to_act"] + 2) % 4]
        shown = partners if self.card == "partner's hand" else np.int64(1) << tables["widow"]
        first = (tables["phase"] == AUCTION) & (tables["bid"] == 0)
        return np.where(first, np.where(shown >> JOKER & 1, BID + 1, PASS), actions)


@pytest.mark.parametrize("name", ["uniform", "sensible_random", "rule_based", "pimc:worlds=2"])
def test_who_plays_by_views_acts_the_same_whatever_is_hidden(name: str) -> None:
    found = asked_twice(make_agent(name), "set_bid", 20)
    assert found.asked > 500
    assert found.changed == 0


@pytest.mark.parametrize("card", ["partner's hand", "widow"])
def test_who_is_shown_a_hidden_card_is_found(card: str) -> None:
    found = asked_twice(Shown(card), "set_bid", 60)
    assert found.changed > 5


@pytest.mark.parametrize("name", ["oracle_partner:worlds=2", "oracle_all"])
def test_the_oracles_are_found(name: str) -> None:
    assert asked_twice(make_agent(name), "mini3", 20).changed > 5


def test_no_table_can_be_reached_through_a_view() -> None:
    """Views are copies with memory of their own: who writes all over them changes no deal."""

    class Scribbles:
        name = "scribbles"

        def act(self, views: Any, streams: Any) -> Any:
            assert views.base is None
            actions = fair.act(views, streams)
            views.view(np.uint8)[:] = 255
            return actions

    fair, streams = make_agent("rule_based"), streams_for(1, 50)
    tables = [deal_tables(get_rules("house"), 1, 0, 50) for _ in range(2)]
    for dealt, agent in zip(tables, (fair, Scribbles()), strict=True):
        play_deals(dealt, [agent] * 4, streams.copy())
    assert tables[0].tobytes() == tables[1].tobytes()
