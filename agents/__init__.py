"""Everything that decides: agents see views and nothing else."""
