"""The table of frameworks in the README: what runs, with the releases `make test-clients` installs."""

import re
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
REQUIREMENTS = HERE / "requirements"


class Client(NamedTuple):
    """A framework: its package, where it is installed, what takes it, and what is tested."""

    package: str
    environment: str
    example: str
    through: str
    runs: str


CLIENTS = [
    Client(
        "sb3-contrib",
        "frameworks",
        "maskable_ppo",
        "`gymnasium.make`; `hpenv.clients.sb3.TablesVecEnv`",
        "MaskablePPO at one table and at many; SB3's `check_env`",
    ),
    Client(
        "torchrl",
        "frameworks",
        "torchrl_ppo",
        '`HasenpfefferVectorEnv(mask_in="obs", autoreset_mode="disabled")`',
        "PPO; `check_env_specs`",
    ),
    Client(
        "torchrl",
        "frameworks",
        "torchrl_pettingzoo",
        "`PettingZooWrapper(use_mask=True)`",
        "policy gradient, one policy for four seats",
    ),
    Client("tianshou", "frameworks", "tianshou_dqn", "`PettingZooEnv`", "DQN in each seat"),
    Client(
        "supersuit",
        "frameworks",
        "supersuit_vector",
        "`parallel_env`",
        'vector envs; `frame_stack` with `mask_in="info"`',
    ),
    Client(
        "open-spiel",
        "frameworks",
        "openspiel_ismcts",
        "`hpenv.clients.openspiel`",
        "`random_sim_test`, ISMCTS in Python, MCCFR, a best response with one card each",
    ),
    Client(
        "ray", "rllib", "rllib_ppo", "`hpenv.clients.rllib.env`", "PPO, shared policy, two env runners"
    ),
    Client("agilerl", "agilerl", "agilerl_dqn", "`gymnasium.make_vec`", "DQN"),
    Client(
        "pufferlib",
        "pufferlib",
        "pufferlib_vector",
        "`parallel_env`",
        "emulation, vector of games; masked play, no training",
    ),
]
BESIDE = ("gymnasium", "pettingzoo")


def releases(environment: str) -> dict[str, str]:
    """The release of each package that an environment's file of requirements asks for."""
    text = (REQUIREMENTS / f"{environment}.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"([\w-]+)(?:\[\w+\])?==([\w.]+)", text))


def clients_table() -> str:
    """The rows of the README's table."""
    rows = ["| framework | with | through | what runs | example |", "|---|---|---|---|---|"]
    for client in CLIENTS:
        release = releases(client.environment)
        beside = ", ".join(f"{name} {release[name]}" for name in BESIDE)
        cells = (f"{client.package} {release[client.package]}", beside, client.through, client.runs)
        rows.append(f"| {' | '.join(cells)} | `training/clients/{client.example}.py` |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(clients_table())
