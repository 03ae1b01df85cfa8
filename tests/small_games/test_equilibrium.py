"""What CFR finds where the answer is known, and what best responses say of it."""

import numpy as np
import pytest

from hpenv.agents.agent import make_agent, play_deals, streams_for
from hpenv.rules import PRESETS, Rules
from hpenv.training.small_games.agents import policy_of
from hpenv.training.small_games.cfr import VARIANTS, solve
from hpenv.training.small_games.contracts import contracts_of, makers_of
from hpenv.training.small_games.deals import all_deals
from hpenv.training.small_games.responses import responses
from hpenv.training.small_games.sweeps import best_response, points_of, run_sweep
from hpenv.training.small_games.tree import build_tree
from small_trees import ONE_CARD, Whimsical, one_card_tree


def test_families_of_deals() -> None:
    """Of two cards each there are 9! / 2!^4 deals, in families of eight at most."""
    deals, likely = all_deals(PRESETS["mini2"])
    named, each = all_deals(PRESETS["mini2"], by_families=False)
    assert len(named) == 22_680
    assert np.ptp(each) == 0
    counts = np.rint(likely * len(named))
    assert counts.sum() == len(named)
    assert set(counts) == {2, 4, 8}
    assert len(deals) == len(counts) == 2_934


def test_a_game_too_large_is_refused() -> None:
    with pytest.raises(ValueError, match=r"hand_size=3: .* at most 2 cards each \(R20\)"):
        all_deals(PRESETS["mini3"])


def test_families_and_named_suits_give_the_same() -> None:
    """Value and best responses to even chances, in trees that share neither deals nor sets."""
    families, named = (one_card_tree(named=named) for named in (False, True))
    assert 8 * len(families.deals) == len(named.deals) == 120
    for tree in (families, named):
        assert tree.uniform.sum() == pytest.approx(len(tree.owner))
    worth = [run_sweep(tree, points_of(tree), tree.uniform) for tree in (families, named)]
    assert worth[0] == pytest.approx(worth[1], abs=1e-12)
    for player in range(6):
        found = [best_response(t, points_of(t), t.uniform, player)[0] for t in (families, named)]
        assert found[0] == pytest.approx(found[1], abs=1e-12)


def test_as_far_from_equilibrium_as_openspiel_says() -> None:
    """Its `nash_conv` of even chances in the same game, by its own best responses: 0.375."""
    tree = build_tree(Rules(set_penalty="bid", hand_size=1, alone=False))
    found = responses(tree, points_of(tree), tree.uniform)
    assert sum(found.gains()) == pytest.approx(0.375)


# One card each: whoever is the maker has two of the five cards and the first bid ends the auction. The
# side with the Joker wins the trick. East, the first to bid, has it or takes it with probability 2/5,
# and its partner has it with 1/5: bidding always is worth 3/5 - 2/5, and waiting is worth less, since
# the next to bid is as likely to have or take it as East was, and knows more.
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("by_pairs", [False, True])
def test_one_card_each_is_worth_a_fifth_to_the_first_bidder(variant: str, by_pairs: bool) -> None:
    tree = one_card_tree(named=False)
    points = points_of(tree)
    policy = solve(tree, points, 200, variant, by_pairs)
    assert run_sweep(tree, points, policy, 3 if by_pairs else 0) == pytest.approx(-1 / 5, abs=0.004)
    if not by_pairs:
        found = responses(tree, points, policy)
        assert max(found.gains()) < 0.01
        assert found.upper[1] == pytest.approx(1 / 5, abs=0.01)


def test_bounds_stand_in_order() -> None:
    """Value, best response of a seat, of two in turn, and of two who see each other's cards."""
    tree = one_card_tree(named=False)
    policy, _ = policy_of(tree, Whimsical())
    found = responses(tree, points_of(tree), policy, starts=4)
    for side, value in enumerate((found.value, -found.value)):
        best = max(found.seats[side], found.seats[side + 2])
        assert value <= best <= found.lower[side] + 1e-12
        assert found.lower[side] <= found.upper[side] + 1e-12
    facts = found.as_json()
    assert facts["best_response_seat"] == pytest.approx(np.mean(found.gains()))
    assert facts["best_response_team_upper"] == pytest.approx(np.mean(found.upper))


def test_an_agent_is_worth_what_it_scores() -> None:
    """An agent that always does the same, in all deals played out one by one."""
    tree = one_card_tree(named=True)
    agent = make_agent("rule_based")
    policy, exact = policy_of(tree, agent)
    assert exact
    deals, _ = all_deals(ONE_CARD, by_families=False)
    play_deals(deals, [agent] * 4, streams_for(1, len(deals)))
    scored = (deals["points"][:, 0] - deals["points"][:, 1]).mean()
    assert run_sweep(tree, points_of(tree), policy) == pytest.approx(scored, abs=1e-12)
    makers = makers_of(tree, policy)
    assert [makers[letter] for letter in "NESW"] == pytest.approx(
        [(deals["maker"] == seat).mean() for seat in range(4)]
    )
    row = contracts_of(tree, policy)["bid 1"]
    assert row["share"] == pytest.approx((deals["maker"] >= 0).mean())
    assert row["alone"] == pytest.approx((deals["alone"] > 0).sum() / (deals["maker"] >= 0).sum())


def test_what_acts_at_random_is_told_by_its_probabilities() -> None:
    tree = one_card_tree(named=False)
    policy, exact = policy_of(tree, make_agent("uniform"))
    assert exact
    assert policy == pytest.approx(tree.uniform)
    policy, exact = policy_of(tree, make_agent("sensible_random"), tries=64)
    assert not exact
    assert np.add.reduceat(policy, tree.first_edge[:-1]) == pytest.approx(1)


def test_what_is_known_can_be_changed() -> None:
    """A discard that all see splits the others' information; without the widow there is none."""
    as_it_is = one_card_tree(named=False)
    seen = build_tree(ONE_CARD, open_discard=True)
    assert len(seen.arrays.nodes.end) == len(as_it_is.arrays.nodes.end)
    assert len(seen.owner) > len(as_it_is.owner)
    dealt = build_tree(ONE_CARD, widow_taken=False)
    assert 2 * (dealt.arrays.nodes.end >= 0).sum() == (as_it_is.arrays.nodes.end >= 0).sum()
    # The first bidder's side wins with the Joker in its hands, or in the widow, where East's own jack
    # is the highest trump: 3/5 as before.
    policy = solve(dealt, points_of(dealt), 200)
    assert run_sweep(dealt, points_of(dealt), policy) == pytest.approx(-1 / 5, abs=0.004)
