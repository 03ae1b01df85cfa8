"""The environments by name in Gymnasium, without importing it.

`gymnasium.make("hpenv:Hasenpfeffer-v0")` imports `hpenv` and then looks the name up. So the name is
written down when `hpenv` is imported, or, where Gymnasium comes only later, as soon as it is there.
"""

import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from typing import Any

ID = "Hasenpfeffer-v0"


def register() -> None:
    """Tell Gymnasium, which must have been imported, of the environments."""
    gymnasium: Any = sys.modules["gymnasium"]
    if ID not in gymnasium.registry:
        gymnasium.register(
            id=ID,
            entry_point="hpenv.gymnasium_envs:HasenpfefferEnv",
            vector_entry_point="hpenv.gymnasium_envs:HasenpfefferVectorEnv",
        )


class _AfterGymnasium:
    """Waits at the head of `sys.meta_path` until Gymnasium is imported, and then registers."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != "gymnasium":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def run_and_register(module: Any) -> None:
                run(module)
                register()

            spec.loader.exec_module = run_and_register  # type: ignore[method-assign]
        return spec


def register_with_gymnasium() -> None:
    """Register now if Gymnasium is there, else as soon as it is imported."""
    if hasattr(sys.modules.get("gymnasium"), "registry"):
        register()
    else:
        sys.meta_path.insert(0, _AfterGymnasium())
