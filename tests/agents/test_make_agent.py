"""Agents by name: those of the package with their options, and those of anybody else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hpenv.agents.agent import AGENTS, as_agent, deals_in_lockstep, make_agent, make_player, streams_for
from hpenv.rules import get_rules
from hpenv.training.benchmark.matches import deal_tables, duplicate_match
from places import ROOT
from slow_search import views_at

SAMPLE = """
class Lowest:
    def __init__(self, depth="1"):
        if not depth.isdigit():
            raise ValueError(f"depth={depth!r} is not a number")
        self.name = f"lowest {depth}"

    def act(self, views, streams):
        legal = views["legal"]
        import numpy as np
        return np.log2((legal & -legal).astype(float)).astype(int)


def nameless():
    made = Lowest()
    del made.name
    return made


def number():
    return 5


CONSTANT = 3
"""


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a module of one's own, and modules that fail."""
    (tmp_path / "my_agents.py").write_text(SAMPLE, "utf-8")
    (tmp_path / "broken.py").write_text("def", "utf-8")
    (tmp_path / "needy.py").write_text("import no_such_thing_anywhere", "utf-8")
    package = tmp_path / "my_package"
    package.mkdir()
    (package / "__init__.py").write_text("", "utf-8")
    (package / "inner.py").write_text(SAMPLE, "utf-8")
    (tmp_path / "uniform.py").write_text(SAMPLE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("my_agents", "broken", "needy", "my_package", "my_package.inner", "uniform"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


# ---- the agents of the package ----------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(AGENTS) - {"mixed"}))
def test_each_name_makes_an_agent_of_that_name(name: str) -> None:
    assert make_agent(name).name == make_agent(f" {name} ").name == name


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("nobody", "no agent 'nobody' .there are uniform, .* your own as MODULE:CLASS.$"),
        ("rulebased", "no agent 'rulebased' .*; did you mean rule_based.$"),
        ("", "no agent ''"),
        ("pimcc:worlds=5", "no agent 'pimcc' .*; did you mean pimc.$"),
        ("lerned:runs/demo", "no agent 'lerned' .*; did you mean learned.$"),
        ("uniform:5", "agent 'uniform:5': there is no option '5' .it takes none.$"),
        ("sensible_random:bold=1", "agent 'sensible_random:bold=1': there is no option 'bold'"),
        ("rule_based:bold=1", "agent 'rule_based:bold=1': there is no option 'bold'"),
        ("mixed", "agent 'mixed': no agent is named for 'auction', and none for the rest"),
        ("mixed:lead=uniform", "no agent is named for 'auction'"),
        ("mixed:uniform,bid=rule_based", "no option 'bid' .there are auction, trump, lead, follow"),
        ("mixed:uniform,leads=rule_based", "no option 'leads' .*; did you mean lead.$"),
        ("mixed:uniform,lead=nobody", "no agent 'nobody'"),
        ("mixed:uniform,lead=uniform,lead=uniform", "option 'lead' is given twice"),
        ("pimc:100", "no option '100' .there are worlds, bidding, belief"),
        ("pimc:wolds=10", "no option 'wolds' .*; did you mean worlds.$"),
        ("pimc:iterations=20", "no option 'iterations'"),
        ("pimc:worlds=0", "worlds='0' is not a whole number from 1 to 10,000"),
        ("pimc:worlds=10001", "worlds='10001' is not a whole number"),
        ("pimc:worlds=-5", "worlds='-5' is not a whole number"),
        ("pimc:worlds=2.5", "worlds='2.5' is not a whole number"),
        ("pimc:worlds=", "worlds='' is not a whole number"),
        ("pimc:worlds=²", "is not a whole number"),
        ("pimc:worlds=" + "9" * 5000, "is not a whole number"),
        ("pimc:bidding=best", "bidding='best' is not one of ev, played, rule_based"),
        ("pimc:bidding=rule-based", "bidding='rule-based' is not one of .*; did you mean rule_based.$"),
        ("pimc:belief=mine", "belief='mine' is not one of rule_based, uniform"),
        ("pimc:worlds=5,worlds=6", "option 'worlds' is given twice"),
        ("learned:play=best", "play='best' is not one of greedy, sample"),
        ("learned:depth=3", "there is no option 'depth' .there are path, play"),
        ("learned:a,b", "option 'path' is given twice"),
        ("learned_search:runs/demo", "no option 'runs/demo' .there are worlds, drawn, caution, exact"),
        ("learned_search:weights=nowhere", "there is no such file of weights"),
        ("learned_search:worlds=0", "worlds='0' is not a whole number from 1 to 10,000"),
        ("learned_search:drawn=65", "drawn='65' is not a whole number from 1 to 64"),
        ("learned_search:caution=-1", "caution='-1' is not a number from 0 to 100"),
        ("learned_search:exact=7", "exact='7' is not a whole number from 0 to 6"),
        ("learned_search:phases=bids", "phases='bids' is not one of auction.trump.play, "),
        ("learned_search:belief=mine", "belief='mine' is not one of learned, rule_based, uniform"),
        ("learned_search:halving=no", "halving='no' is not one of on, off"),
        ("ismcts:500", "no option '500' .there are iterations, rollout, exploration, calls"),
        ("ismcts:worlds=20", "no option 'worlds'"),
        ("ismcts:iterations=0", "iterations='0' is not a whole number from 1 to 1,000,000"),
        ("ismcts:iterations=1000001", "iterations='1000001' is not a whole number"),
        ("ismcts:iterations=-5", "iterations='-5' is not a whole number"),
        ("ismcts:iterations=2.5", "iterations='2.5' is not a whole number"),
        ("ismcts:iterations=", "iterations='' is not a whole number"),
        ("ismcts:iterations=²", "is not a whole number"),
        ("ismcts:iterations=" + "9" * 5000, "is not a whole number"),
        ("ismcts:rollout=best", "rollout='best' is not one of uniform, sensible_random, rule_based"),
        ("ismcts:exploration=-1", "exploration='-1' is not a number from 0 to 100"),
        ("ismcts:exploration=nan", "exploration='nan' is not a number"),
        ("ismcts:exploration=inf", "exploration='inf' is not a number"),
        ("ismcts:exploration=much", "exploration='much' is not a number"),
        ("ismcts:calls=mine", "calls='mine' is not one of tree, rollout"),
        ("ismcts:iterations=5,iterations=6", "option 'iterations' is given twice"),
        (
            "oracle_all:worlds=5",
            "'oracle_all:worlds=5': there is no option 'worlds' .there are bidding",
        ),
        ("oracle_all:belief=uniform", "there is no option 'belief'"),
        ("oracle_all:bidding=best", "bidding='best' is not one of ev, played, rule_based"),
        ("oracle_all:5", "there is no option '5'"),
        ("oracle_partner:worlds=0", "worlds='0' is not a whole number from 1 to 10,000"),
        ("oracle_partner:cards=all", "there is no option 'cards' .there are worlds, bidding, belief"),
    ],
)
def test_bad_names_and_options_are_refused_in_a_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make_agent(spec)


def test_what_is_no_name_and_no_agent_is_refused_in_a_sentence() -> None:
    with pytest.raises(TypeError, match="an agent is named by a string, not by 5"):
        make_agent(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"such as 'rule_based' .* 5 has no method act.views, streams."):
        as_agent(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="has no method act"):
        duplicate_match("uniform", None, deals=2)  # type: ignore[arg-type]


def test_slow_agents_play_fewer_deals_in_lockstep() -> None:
    quick, slow = make_agent("uniform"), make_agent("pimc:worlds=2")
    assert deals_in_lockstep([quick]) > deals_in_lockstep([quick, slow]) == deals_in_lockstep([slow])
    assert deals_in_lockstep([make_agent("mixed:uniform,lead=pimc:worlds=2")]) == deals_in_lockstep(
        [slow]
    )


# ---- agents from elsewhere --------------------------------------------------------------------


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("my_agents:Lowest", "lowest 1"),
        (" my_agents:Lowest ", "lowest 1"),
        ("my_package.inner:Lowest", "lowest 1"),
        ("my_agents:Lowest:depth=2", "lowest 2"),
    ],
)
def test_a_class_of_any_module(spec: str, name: str) -> None:
    agent = make_player(spec)
    assert agent.name == name
    views = views_at(deal_tables(get_rules("standard"), 1, 0, 9))
    assert agent.act(views, streams_for(1, 9)[:, 0]).tolist() == [25] * 9
    result = duplicate_match(spec, "uniform", "mini2", deals=50)
    assert result.names == (name, "uniform")


@pytest.mark.usefixtures("elsewhere")
def test_a_part_of_a_mixed_agent_may_be_from_elsewhere() -> None:
    agent = make_agent("mixed:rule_based,auction=my_agents:Lowest")
    views = views_at(deal_tables(get_rules("standard"), 1, 0, 9))
    assert agent.act(views, streams_for(1, 9)[:, 0]).tolist() == [25] * 9


@pytest.mark.usefixtures("elsewhere")
def test_names_of_the_package_win() -> None:
    """A module called uniform is beside the point: `uniform:Lowest` is uniform with an odd option."""
    with pytest.raises(ValueError, match="agent 'uniform:Lowest': there is no option 'Lowest'"):
        make_agent("uniform:Lowest")
    with pytest.raises(ValueError, match="there is no such file of weights"):
        make_agent("learned:Lowest")


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("nowhere:Lowest", "there is neither an agent 'nowhere' nor a module of that name$"),
        ("rule_base:Lowest", "neither an agent 'rule_base' .*; did you mean rule_based.$"),
        ("my_package.nowhere:Lowest", "nor a module of that name"),
        ("my_agents:Lowst", "the module 'my_agents' has no 'Lowst'; did you mean Lowest.$"),
        ("my_agents:CONSTANT", "'CONSTANT' is neither a class nor a function"),
        ("my_agents:number", "what 'number' makes is no agent: it has no method act.views, streams."),
        ("my_agents:nameless", "what 'nameless' makes is no agent: it has no attribute name, a string"),
        ("my_agents:Lowest:width=3", "'Lowest' cannot be made: .*unexpected keyword argument 'width'"),
        ("my_agents:Lowest:depth=x", "'Lowest' cannot be made: depth='x' is not a number"),
        ("broken:Lowest", "the module 'broken' fails: invalid syntax"),
        ("needy:Lowest", "the module 'needy' fails: No module named 'no_such_thing_anywhere'"),
    ],
)
def test_what_cannot_be_made_is_refused_in_a_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make_agent(spec)


def test_at_the_command_line_the_current_folder_counts(elsewhere: Path) -> None:
    """Even where Python does not add it by itself, as for an installed script (-P)."""
    words = "-P -m hpenv.training.cli.main evaluate my_agents:Lowest uniform --rules mini2 --deals 20"
    done = subprocess.run(
        [sys.executable, *words.split(), "--json"],
        cwd=elsewhere,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert '"lowest 1"' in done.stdout


# ---- what act wants ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "uniform",
        "sensible_random",
        "rule_based",
        "mixed:uniform",
        "learned",
        "learned_search",
        "pimc",
        "ismcts",
    ],
)
def test_act_says_what_it_wants(name: str) -> None:
    """One view alone, tables for views, a number for streams, streams of another type or length, and
    a view of a seat that is not to act."""
    agent: Any = make_agent(name)
    tables = deal_tables(get_rules("standard"), 1, 0, 3)
    views, streams = views_at(tables), streams_for(1, 3)[:, 0].copy()
    for wrong in (views[0], tables, views[None], views.tolist(), 1, None):
        with pytest.raises(TypeError, match=f"agent {name}: act wants views, .* hpenv.agents.ask"):
            agent.act(wrong, streams)
    for odd in (1, None, streams[:2], streams.astype(np.int64), streams[0], streams.tolist()):
        with pytest.raises(
            TypeError, match=f"agent {name}: act wants a random stream for each of the 3"
        ):
            agent.act(views, odd)
    views["legal"][1] = 0
    with pytest.raises(ValueError, match=f"agent {name}: the seat of view 1 is not to act"):
        agent.act(views, streams)
