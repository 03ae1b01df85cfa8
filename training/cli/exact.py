"""`hpenv exact`: small games solved, and how far any agent is from their equilibrium."""

import json
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from tyro.conf import Positional, arg

from hpenv.rules import Rules, get_rules
from hpenv.training.cli.progress import Progress
from hpenv.training.cli.rules_option import one_rules
from hpenv.training.cli.shown import FLAG, given
from hpenv.training.options import Bounds


@dataclass
class Options:
    """Solve a small game, or measure exactly how far an agent's play of it is from equilibrium.

    Single deals with North dealing and the score at 0, each of the 22,680 deals counted once. With an
    agent: the value when it has all four seats, and what best responses to it gain. Without: a policy
    found by discounted CFR, with the same figures to say how close to equilibrium it is.

    value is the dealer's side's points minus the other side's, per deal. best_response_seat is what one
    seat gains by its best response, averaged over the seats. best_response_team_lower and _upper bound
    what two partners get who respond together, averaged over both sides: at least the best they were
    found to do in turn, at most what they could do if they saw each other's cards.

    examples:
      hpenv exact mini2 --json
      hpenv exact mini2 --rules house --iterations 50
      hpenv exact mini2 --policy rule_based --json
      hpenv exact mini2 --policy learned:runs/mine,play=sample
    """

    game: Annotated[Positional[Literal["mini2", "mini3"]], arg(help_behavior_hint="")] = "mini2"
    """How many cards each seat gets; mini3 is too large and refused."""
    rules: Annotated[str | None, given("PRESET", "those of the game")] = None
    """A preset or options as a JSON object, played with so many cards."""
    policy: Annotated[str | None, given("AGENT")] = None
    """Measure this agent."""
    iterations: Annotated[int, Bounds(1, 100_000)] = 60
    """Of CFR, where no agent is named."""
    open_discard: Annotated[bool, FLAG] = False
    """Change the rules: everybody sees the discard. Not with an agent."""
    no_widow: Annotated[bool, FLAG] = False
    """Change the rules: the maker does not get the widow, nor discards. Not with an agent."""
    starts: Annotated[int, Bounds(1, 1000)] = 2
    """From how many beginnings the lower bound is sought."""
    json: Annotated[bool, FLAG] = False
    """Print one JSON object."""


def run(options: Options) -> None:
    """Solve or measure, and show."""
    rules = small_rules(options)
    if options.policy is not None:
        if options.open_discard or options.no_widow:
            raise ValueError(
                "policy: an agent plays by the rules; leave out --open-discard and --no-widow"
            )
        facts = measured(options, rules)
    else:
        facts = solved(options, rules)
    print(json.dumps(facts) if options.json else in_words(facts))


def small_rules(options: Options) -> Rules:
    """The rules chosen, with so many cards. Raises ValueError for a game that is too large."""
    from hpenv.training.small_games.deals import check_size  # noqa: PLC0415

    game = get_rules(options.game)
    chosen = game if options.rules is None else one_rules(options.rules)
    rules = replace(chosen, hand_size=game.hand_size)
    check_size(rules)
    return rules


def measured(options: Options, rules: Rules) -> dict[str, Any]:
    """What an agent is worth, and best responses to it."""
    from hpenv.agents.agent import make_player  # noqa: PLC0415
    from hpenv.training.small_games.agents import policy_of  # noqa: PLC0415
    from hpenv.training.small_games.responses import responses  # noqa: PLC0415
    from hpenv.training.small_games.sweeps import points_of  # noqa: PLC0415
    from hpenv.training.small_games.tree import build_tree  # noqa: PLC0415

    assert options.policy is not None
    agent = make_player(options.policy)
    tree = build_tree(rules)
    policy, exact = policy_of(tree, agent)
    found = responses(tree, points_of(tree), policy, options.starts)
    return {"game": options.game, "rules": rules.name(), "policy": agent.name, "exact": exact} | (
        found.as_json()
    )


def solved(options: Options, rules: Rules) -> dict[str, Any]:
    """An equilibrium, how close it is, and what is bid in it."""
    from hpenv.training.small_games.cfr import solve  # noqa: PLC0415
    from hpenv.training.small_games.contracts import contracts_of, makers_of  # noqa: PLC0415
    from hpenv.training.small_games.responses import responses  # noqa: PLC0415
    from hpenv.training.small_games.sweeps import points_of  # noqa: PLC0415
    from hpenv.training.small_games.tree import build_tree  # noqa: PLC0415

    tree = build_tree(rules, open_discard=options.open_discard, widow_taken=not options.no_widow)
    points = points_of(tree)
    with Progress("cfr", "iterations") as progress:
        policy = solve(tree, points, options.iterations, progress=progress)
    found = responses(tree, points, policy, options.starts)
    changed = {"open_discard": options.open_discard, "no_widow": options.no_widow}
    facts = {"game": options.game, "rules": rules.name(), "iterations": options.iterations}
    bids = {"contracts": contracts_of(tree, policy), "makers": makers_of(tree, policy)}
    return facts | changed | found.as_json() | bids


def in_words(facts: dict[str, Any]) -> str:
    """The facts for reading."""
    who = facts.get("policy") or f"{facts['iterations']} iterations of discounted CFR"
    lines = [
        f"{facts['game']}, rules {facts['rules']}: {who}; points per deal",
        f"  value for the dealer's side     {facts['value']:+.4f}",
        f"  best response of one seat gains {facts['best_response_seat']:+.4f}",
        f"  of two partners together        {facts['best_response_team_lower']:+.4f} at least, "
        f"{facts['best_response_team_upper']:+.4f} at most",
    ]
    if facts.get("exact") is False:
        lines.append("  the agent acts at random: its probabilities are how often it did what")
    lines += [
        f"  {name}: {row['share']:.1%} of the deals"
        + (f", made {row['made']:.1%}, alone {row['alone']:.1%}" if "made" in row else "")
        for name, row in facts.get("contracts", {}).items()
    ]
    return "\n".join(lines)
