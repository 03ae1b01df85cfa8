"""`oracle_partner` and `oracle_all`: how strong `pimc` would be if it saw hidden cards. They cheat.

They are the ceilings that a seat's own view keeps an agent below, and no opponents: what they know
nobody at a table may. So they play only where a match gives them the tables (`hpenv evaluate`), and
refuse to be asked for an action on a view. `oracle_partner` sees its partner's hand, `oracle_all` every
card. Both know how `rule_based` bids and plays, as `pimc` does, and no other policy.
"""

from typing import Any

import numpy as np

from hpenv.agents.agent import SEES_HIDDEN_CARDS
from hpenv.agents.pimc import BY_RULES, Pimc, Space, best_action, settings, write_points
from hpenv.agents.rule_based import choice
from hpenv.compiled import Int, kernel
from hpenv.rulebook import PLAY
from hpenv.view import VIEW, see


class OpenPartner:
    """Decides as `pimc` does, by worlds in which its partner holds what it really holds."""

    at_once = Pimc.at_once

    def __init__(self, pimc: Pimc, name: str = "oracle_partner") -> None:
        self.pimc = pimc
        self.name = name

    def act(self, views: Any, streams: Any) -> Any:
        raise ValueError(SEES_HIDDEN_CARDS.format(self.name))

    def act_oracle(self, tables: Any, streams: Any) -> Any:
        """The action at each table (B,), all cards to be seen."""
        views, shown = np.zeros(len(tables), VIEW), np.zeros(len(tables), np.int64)
        see_with_partner(tables, views, shown)
        return self.pimc.act_shown(views, shown, streams)


class OpenAll(OpenPartner):
    """Decides as `pimc` does, by one world: the cards as they really lie."""

    def act_oracle(self, tables: Any, streams: Any) -> Any:
        actions = np.zeros(len(tables), np.int64)
        act_by_cards(tables, self.pimc.manner[0], self.pimc.space, actions)
        return actions


@kernel
def see_with_partner(tables: Any, views: Any, shown: Any) -> None:
    """Write the view of the seat to act at each table, and its partner's hand."""
    for i in range(len(tables)):
        seat = np.int64(tables[i].to_act)
        see(tables[i], seat, views[i])
        shown[i] = tables[i].hands[(seat + 2) & 3]


@kernel
def act_by_cards(tables: Any, bidding: Int, space: Space, actions: Any) -> None:
    """Write the action for each table (B,) with the cards as they lie for its only world."""
    seen = np.zeros(1, VIEW)
    for i in range(len(tables)):
        table, view = tables[i], seen[0]
        see(table, np.int64(table.to_act), view)
        if bidding == BY_RULES and view.phase != PLAY:
            actions[i] = choice(view)
            continue
        space.hands[0] = table.hands
        space.discards[0], space.widows[0] = table.discard, table.widow
        space.weights[0] = 1.0
        write_points(view, 1, bidding, space)
        actions[i] = best_action(np.int64(view.legal), choice(view), 1, False, space)


def make(spec: str, options: dict[str, str]) -> OpenPartner:
    """`oracle_partner` with the options of `pimc`; `oracle_all` with its `bidding`."""
    if not spec.startswith("oracle_all"):
        return OpenPartner(Pimc(**settings(spec, options), name=spec), spec)
    for option in options:
        if option != "bidding":
            raise ValueError(f"agent {spec!r}: there is no option {option!r} (there is bidding)")
    return OpenAll(Pimc(**settings(spec, options | {"worlds": "1"}), name=spec), spec)
