"""Self-play, PPO, the benchmark and the command line."""
