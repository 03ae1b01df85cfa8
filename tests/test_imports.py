"""Who may import whom: cards and rules know nothing of learning, only the faces know a framework."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("hpenv", "agents", "training")
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}
# Each imports only from those before it; every other module of hpenv stands above them all.
CORE = [
    "compiled",
    "rules",
    "cards",
    "actions",
    "rulebook",
    "text",
    "refusals",
    "table",
    "view",
    "suits",
    "observation",
]
FACES = r"hpenv\.(hasenpfeffer_v0|gymnasium_envs|clients(\..+)?)"
# A record shows itself in a notebook by the drawing, which stands above it: it may import that one
# module, inside a function only, when it is to be shown.
SHOWN_BY = {
    "hpenv.table": "hpenv.picture",
    "hpenv.view": "hpenv.picture",
    "hpenv.notation": "hpenv.deal_picture",
}
ALLOWED = {  # who may import what comes from outside
    "pettingzoo": r"hpenv\.(hasenpfeffer_v0|clients(\..+)?)",
    "gymnasium": FACES,
    "torch": r"agents\.(learned|network)|training\..+",
    "safetensors": r"agents\.(learned|network)|training\..+",
    "pyspiel|open_spiel|ray|stable_baselines3|sb3_contrib": r"hpenv\.clients\..+",
    "tests|notebooks|pytest|hypothesis|naive_rules": r"nothing",
}


@cache
def imports(module: str, in_functions: bool = True) -> frozenset[str]:
    """The modules a module imports when it runs, inside functions too; not those for type checkers."""
    tree = ast.parse(MODULES[module].read_text())
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
    """The project's own modules among them, without the drawing that a record may ask for."""
    own = {name for name in imports(module) if name in MODULES or name in PACKAGES}
    return own - ({SHOWN_BY.get(module)} - imports(module, in_functions=False))


def test_the_core_is_built_in_layers() -> None:
    """cards <- actions <- rulebook <- table <- view <- suits <- observation; rules stands by itself."""
    for place, name in enumerate(CORE):
        assert ours(f"hpenv.{name}") <= {f"hpenv.{lower}" for lower in CORE[:place]}, name
    assert ours("hpenv.rules") == ours("hpenv.compiled") == set()


@pytest.mark.parametrize("module", MODULES)
def test_nobody_reaches_upwards(module: str) -> None:
    """hpenv knows no agents and no training, agents no training and no face, nobody the tests."""
    below = {"hpenv": ("hpenv",), "agents": ("hpenv", "agents"), "training": PACKAGES}
    for name in ours(module):
        assert name.split(".")[0] in below[module.split(".", maxsplit=1)[0]], f"{module} imports {name}"
        assert not (module.startswith("agents") and re.fullmatch(FACES, name)), (
            f"{module} imports {name}"
        )
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
    waiting = [name for name, path in MODULES.items() if "@kernel" in path.read_text()]
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        written = set(re.findall(r"^from (\w+\.\w+) import", MODULES[name].read_text(), re.M))
        assert imports(name, in_functions=False) & set(MODULES) <= written, name
        reached.add(name)
        waiting += written & set(MODULES) - reached
    assert {"hpenv.rulebook", "hpenv.cards", "hpenv.compiled"} <= reached


def test_importing_hpenv_is_light() -> None:
    """Neither torch nor numba nor a framework is loaded until something needs it."""
    heavy = ["torch", "numba", "pettingzoo", "gymnasium", "agents", "training"]
    code = f"import sys, hpenv; print([name for name in {heavy} if name in sys.modules], hpenv.Rules())"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.startswith("[] Rules(")
