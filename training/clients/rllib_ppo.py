"""PPO of RLlib, one masked policy for all seats, on a local cluster (`pip install "ray[rllib]"`)."""

from typing import Any

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from hpenv.clients import rllib


def train(iterations: int = 2, env_runners: int = 2) -> Any:
    """Returns the results of the last iteration."""
    register_env("hasenpfeffer", lambda options: rllib.env(**options))
    masked = RLModuleSpec(ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [64]})
    config = PPOConfig()
    # RLlib's check of an environment would do illegal actions.
    config.environment("hasenpfeffer", env_config={"episode": "deal"}, disable_env_checking=True)
    config.multi_agent(policies={"seat"}, policy_mapping_fn=lambda agent, *_, **__: "seat")
    config.rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"seat": masked}))
    config.env_runners(num_env_runners=env_runners)
    config.training(train_batch_size_per_learner=512, minibatch_size=128, num_epochs=2)
    algorithm = config.build_algo()
    for _ in range(iterations):
        result = algorithm.train()
    algorithm.stop()
    return result


if __name__ == "__main__":
    print(train()["env_runners"])
