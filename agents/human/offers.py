"""What a person is offered for a new game: opponents by how well they play, strongest last."""

from typing import NamedTuple


class Opponent(NamedTuple):
    """level: what a person calls it. agent: the name that `make_agent` takes. words: how it plays."""

    level: str
    agent: str
    words: str


OPPONENTS = (
    Opponent("beginner", "sensible_random", "bids by its high cards and plays at random"),
    Opponent("club", "rule_based", "counts trumps and sure tricks, and supports its partner"),
    Opponent("expert", "learned", "a network that learned by playing against itself"),
    Opponent("master", "learned_search", "the network, trying out every card in deals that may be"),
)


def level_of(agent: str) -> str:
    """How an agent is called at the table: `club`, or its own name."""
    return next((offer.level for offer in OPPONENTS if offer.agent == agent), agent)
