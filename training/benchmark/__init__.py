"""What measures agents and the engine: matches, games, tournaments, intervals, speed."""
