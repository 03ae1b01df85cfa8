"""A game with one person in it as a page in the browser, served to this machine only."""
