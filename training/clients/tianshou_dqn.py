"""DQN of Tianshou 2 in every seat of the PettingZoo environment (`pip install tianshou`)."""

from tianshou.algorithm import DQN, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.algorithm_base import policy_within_training_step
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net

from hpenv import hasenpfeffer_v0


def make() -> PettingZooEnv:
    return PettingZooEnv(hasenpfeffer_v0.env(episode="deal", dtype="float32"))


def learner(env: PettingZooEnv) -> DQN:
    shape = env.observation_space["observation"].shape
    net = Net(state_shape=shape, action_shape=env.action_space.n, hidden_sizes=[64])
    policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_training=0.1)
    return DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, target_update_freq=100)


def train(steps: int = 600, updates: int = 5) -> dict[str, float]:
    """Returns the losses of the last update, by agent."""
    env, envs, buffer = make(), DummyVectorEnv([make] * 4), VectorReplayBuffer(20_000, 4)
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[learner(env) for _ in env.agents], env=env)
    collector = Collector[CollectStats](algorithm, envs, buffer, exploration_noise=True)
    collector.reset()
    for _ in range(updates):
        collector.collect(n_step=steps)
        with policy_within_training_step(algorithm.policy):
            stats = algorithm.update(buffer, sample_size=64)
    return dict(stats.get_loss_stats_dict())


if __name__ == "__main__":
    print(train())
