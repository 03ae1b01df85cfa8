"""Whether an agent knows what it must not: it is asked again after all hidden cards were dealt anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpenv.table import TABLE
from hpenv.view import VIEW, see_each
from hpenv.worlds import world_tables


class AskedTwice:
    """Plays as another agent, and counts how often that one acts otherwise at a table that its seat
    cannot tell from this one, with the same random stream. It is asked as a match asks it: by views, or
    with the tables if it has `act_oracle`."""

    def __init__(self, agent: Any) -> None:
        self.agent, self.name = agent, agent.name
        self.asked, self.changed = 0, 0

    def act(self, views: Any, streams: Any) -> Any:
        raise AssertionError("it plays in matches")

    def act_oracle(self, tables: Any, streams: Any) -> Any:
        others: Any = np.zeros(len(tables), TABLE)
        for i, view in enumerate(views_at(tables)):
            others[i] = world_tables(view, 1, int(streams[i]))[0]
        again = self.ask(others, streams.copy())
        actions = self.ask(tables, streams)
        self.asked += len(tables)
        self.changed += int((actions != again).sum())
        return actions

    def ask(self, tables: Any, streams: Any) -> Any:
        if hasattr(self.agent, "act_oracle"):
            return self.agent.act_oracle(tables, streams)
        return self.agent.act(views_at(tables), streams)


def views_at(tables: Any) -> Any:
    """The views of the seats to act."""
    views = np.zeros(len(tables), VIEW)
    see_each(tables, tables["to_act"].astype(np.int64), views)
    return views
