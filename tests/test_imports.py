"""Who may import whom: cards and rules know nothing of learning, only the faces know a framework."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache

import pytest

from places import ROOT

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for folder in (".", "drawing", "clients", "agents", "training")  # agents and training are links
    for path in sorted((ROOT / "hpenv" / folder).glob("*.py" if folder == "." else "**/*.py"))
}
# Each imports only from those before it; every other module of hpenv stands above them all.
CORE = [
    "compiled",
    "rules",
    "cards",
    "seats",
    "arguments",
    "actions",
    "history",
    "rulebook",
    "text",
    "errors",
    "notebook",
    "table",
    "view",
    "suits",
]
CORE += ["vectors", "observation"]
FACES = r"hpenv\.(hasenpfeffer_v0|hasenpfeffer_parallel_v0|gymnasium_envs|clients\..+)"
EXAMPLES = r"hpenv\.training\.clients\..+"  # of the faces in other libraries
# These faces seat agents at the learner's table, so they stand above the agents.
WITH_AGENTS = r"hpenv\.(gymnasium_envs|learner_tables|clients\..+)"
# The one import that goes up, inside a function: a notebook asks the drawing for a picture of a table.
UPWARDS = ("hpenv.notebook", "hpenv.drawing")
LEARNS = r"hpenv\.agents\.(learned|network|row_sums)|hpenv\.training(\..+)?"
ALLOWED = {  # who may import what comes from outside
    "pettingzoo|gymnasium": f"{FACES}|{EXAMPLES}",
    "torch|safetensors": LEARNS,
    "tests|notebooks|pytest|hypothesis|agents|training": r"nothing",
}


@cache
def imports(module: str, in_functions: bool = True) -> frozenset[str]:
    """The modules a module imports when it runs, inside functions too; not those for type checkers."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            node.body = []
    found = set()
    for node in ast.walk(tree) if in_functions else tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are written in full"
            inner = {f"{node.module}.{alias.name}" for alias in node.names} & set(MODULES)
            found |= inner or {str(node.module)}
    return frozenset(found)


def ours(module: str) -> set[str]:
    """The project's own modules among them, without the one import that goes up."""
    own = {name for name in imports(module) if name.split(".")[0] == "hpenv"}
    if module == UPWARDS[0]:
        own -= {UPWARDS[1]} - imports(module, in_functions=False)
    return own


def test_the_core_is_built_in_layers() -> None:
    """cards <- actions <- rulebook <- table <- view <- suits <- observation; rules stands by itself."""
    for place, name in enumerate(CORE):
        assert ours(f"hpenv.{name}") <= {f"hpenv.{lower}" for lower in CORE[:place]}, name
    assert ours("hpenv.rules") == ours("hpenv.compiled") == set()


def floor(module: str) -> int:
    """0 for the game, 1 for agents, 2 for the faces that seat agents, 3 for training."""
    if re.fullmatch(WITH_AGENTS, module):
        return 2
    return 3 if module.startswith("hpenv.training") else module.startswith("hpenv.agents")


@pytest.mark.parametrize("module", MODULES)
def test_nobody_reaches_upwards(module: str) -> None:
    """The game knows no agents and no training, agents no training and no face, nobody the tests."""
    for name in ours(module):
        assert floor(name) <= floor(module), f"{module} imports {name}"
        assert not (floor(module) == 1 and re.fullmatch(FACES, name)), f"{module} imports {name}"
    for outside, allowed in ALLOWED.items():
        used = {name for name in imports(module) if re.fullmatch(outside, name.split(".")[0])}
        assert not used or re.fullmatch(allowed, module), f"{module} imports {used}"


def test_no_imports_in_a_circle() -> None:
    """Taking away modules that import nothing left, again and again, leaves none."""
    left = {module: ours(module) & set(MODULES) - {module} for module in MODULES}
    while free := {module for module, needs in left.items() if not needs & set(left)}:
        left = {module: needs for module, needs in left.items() if module not in free}
    assert not left


def test_compiled_code_sees_all_it_depends_on() -> None:
    """A kernel's stamp follows imports written `from package.module import`: where kernels are, and in
    all they reach, no module of ours is imported in another way."""
    waiting = [name for name, path in MODULES.items() if "@kernel" in path.read_text(encoding="utf-8")]
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        written = set(
            re.findall(r"^from (hpenv\.[\w.]+) import", MODULES[name].read_text(encoding="utf-8"), re.M)
        )
        assert imports(name, in_functions=False) & set(MODULES) - {"hpenv"} <= written, name
        reached.add(name)
        waiting += written & set(MODULES) - reached
    assert {"hpenv.rulebook", "hpenv.cards", "hpenv.compiled"} <= reached


def test_importing_hpenv_is_light() -> None:
    """Neither torch nor numba nor a framework is loaded until something needs it."""
    heavy = ["torch", "numba", "pettingzoo", "gymnasium", "hpenv.agents", "hpenv.training"]
    code = f"import sys, hpenv; print([name for name in {heavy} if name in sys.modules], hpenv.Rules())"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.startswith("[] Rules(")
