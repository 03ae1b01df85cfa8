"""Small games solved exactly: every deal, every way to play it, and what each seat knows on the way.

deals.py lists the deals, growing.py plays them all out with the engine into the arrays of tree.py,
sweeps.py goes over those: the value of a policy and best responses to it. cfr.py finds equilibria,
agents.py writes an agent down as a policy, learning.py measures one while it learns.
"""
