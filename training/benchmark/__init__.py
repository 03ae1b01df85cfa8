"""What measures agents and the engine: matches, games, duels, tournaments, intervals, speed."""
