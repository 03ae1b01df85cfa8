"""The game for frameworks that need a form of their own; each module imports its framework."""
