"""A game with one person in it: at the terminal and in the browser."""
