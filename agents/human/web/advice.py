"""Those who are asked for hints and for the analysis of a finished deal. They are agents of their own:
those at the table may be thinking meanwhile. They are asked one after the other."""

from collections.abc import Iterable
from contextlib import suppress
from threading import Lock
from typing import Any

from hpenv.agents.agent import Agent
from hpenv.agents.analysis.review import SEARCH, review
from hpenv.agents.human.game import player
from hpenv.agents.human.web.facts import opinion_facts, review_facts
from hpenv.agents.opinion import opinion_of
from hpenv.double_dummy_search import Memory, new_memory
from hpenv.notation import Record, record_of
from hpenv.seats import N_SEATS, NOBODY
from hpenv.table import deal
from hpenv.view import View, view_of


class Advisers:
    """hints: names of the agents asked for a hint. is_ready: are they loaded and compiled, as far as
    anybody has cared: see `get_ready`."""

    def __init__(self, hints: Iterable[str]) -> None:
        self.hints = tuple(hints)
        self.is_ready = True
        self._asking = Lock()
        self._agents: dict[str, Agent] = {}
        self._memory: Memory | None = None  # of the solver
        self._last: tuple[Any, Any] = (None, None)  # the deal last looked at and what came of it

    def opinions(self, view: View) -> list[dict[str, Any]]:
        """What each thinks of a view, as facts."""
        with self._asking:
            return opinion_facts(
                view, {name: opinion_of(self._agent(name), view) for name in self.hints}
            )

    def review(self, record: Record, own: int, is_open: bool) -> dict[str, Any]:
        """What each choice of a finished deal lost, as facts; without `is_open` only the choices of
        the person's own seat, against what it could know."""
        with self._asking:
            asked = (record, own, is_open)
            if self._last[0] != asked:
                self._last = asked, self._looked_at(record, own, is_open)
            return dict(self._last[1])

    def get_ready(self) -> None:
        """Look at a small deal, so that all that is needed is loaded and compiled before the person
        asks. An agent that cannot be made says so when it is asked."""
        table = deal("mini2", seed=1)
        with self._asking:
            for name in self.hints:
                with suppress(ValueError):
                    opinion_of(self._agent(name), view_of(table, table.to_act))
            while table.to_act != NOBODY:
                table.step(table.legal_actions()[-1])
            self._looked_at(record_of(table), 0, is_open=True)
        self.is_ready = True

    def _looked_at(self, record: Record, own: int, is_open: bool) -> dict[str, Any]:
        if self._memory is None:
            self._memory = new_memory()
        seats = range(N_SEATS) if is_open else (own,)
        choices = review(record, self._agent(SEARCH), seats, is_open, self._memory)
        return review_facts(record, choices, own) | {"is_open": is_open}

    def _agent(self, name: str) -> Agent:
        if name not in self._agents:
            self._agents[name] = player(name)
        return self._agents[name]
