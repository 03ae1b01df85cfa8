"""`oracle_partner` and `oracle_all`: how strong `pimc` would be if it saw hidden cards. They cheat.

They are oracles in the usual sense: agents that see what a view hides. They show how much an agent
could gain at most from better guesses at the hidden cards, and are no fair opponents. So they play only
where a match gives them the tables (`hpenv evaluate`); `act` on views raises ValueError.
`oracle_partner` sees its partner's hand, `oracle_all` every card. Both model the other seats as
`rule_based`, as `pimc` does.
"""

from typing import Any

import numpy as np

from hpenv.agents.agent import SEES_HIDDEN_CARDS, Actions, Streams, Tables, Views
from hpenv.agents.options import read_options
from hpenv.agents.pimc import OPTIONS, Pimc, with_policy
from hpenv.agents.pimc_search import BY_RULES, Scratch, best_action, write_points
from hpenv.agents.rule_based.choice import choice
from hpenv.compiled import Int, kernel
from hpenv.rulebook import PLAY
from hpenv.seats import partner_of
from hpenv.view import VIEW, see


class OraclePartner:
    """Decides as `pimc` does, by worlds in which its partner holds what it really holds."""

    deals_in_lockstep = Pimc.deals_in_lockstep

    def __init__(self, pimc: Pimc, name: str = "oracle_partner") -> None:
        self.pimc = pimc
        self.agents = pimc.agents
        self.name = name

    def act(self, views: Views, streams: Streams) -> Actions:
        raise ValueError(SEES_HIDDEN_CARDS.format(self.name))

    def act_oracle(self, tables: Tables, streams: Streams) -> Actions:
        """The action at each table (B,), whose cards are all open to it."""
        views, shown = np.zeros(len(tables), VIEW), np.zeros(len(tables), np.int64)
        see_with_partner(tables, views, shown)
        return self.pimc.act_shown(views, shown, streams)


class OracleAll(OraclePartner):
    """Decides as `pimc` does, by one world: the cards as they really lie."""

    def act_oracle(self, tables: Tables, streams: Streams) -> Actions:
        actions = np.zeros(len(tables), np.int64)
        act_by_cards(tables, self.pimc.settings[0], self.pimc.scratch, actions)
        return actions


@kernel
def see_with_partner(tables: Any, views: Any, shown: Any) -> None:
    """Write the view of the seat to act at each table, and its partner's hand."""
    for i in range(len(tables)):
        seat = np.int64(tables[i].to_act)
        see(tables[i], seat, views[i])
        shown[i] = tables[i].hands[partner_of(seat)]


@kernel
def act_by_cards(tables: Any, bidding: Int, scratch: Scratch, actions: Any) -> None:
    """Write the action for each table (B,) with the cards as they lie for its only world."""
    seen = np.zeros(1, VIEW)
    for i in range(len(tables)):
        table, view = tables[i], seen[0]
        see(table, np.int64(table.to_act), view)
        if bidding == BY_RULES and view.phase != PLAY:
            actions[i] = choice(view)
            continue
        scratch.hands[0] = table.hands
        scratch.discards[0], scratch.widows[0] = table.discard, table.widow
        scratch.weights[0] = 1.0
        write_points(view, 1, bidding, scratch)
        actions[i] = best_action(np.int64(view.legal), choice(view), 1, False, scratch)


def make(spec: str, options: dict[str, str]) -> OraclePartner:
    """`oracle_partner` with the options of `pimc`; `oracle_all` with its `bidding`."""
    if not spec.startswith("oracle_all"):
        return OraclePartner(Pimc(**with_policy(read_options(spec, options, OPTIONS)), name=spec), spec)
    chosen = read_options(spec, options, {"bidding": OPTIONS["bidding"]})
    return OracleAll(Pimc(worlds=1, **chosen, name=spec), spec)
