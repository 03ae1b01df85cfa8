"""Decisions of agents, recorded for imitation and offline learning: `hpenv record` writes them.

`decisions.py` plays the deals, `folder.py` writes and reads them, `torch_dataset.py` is for torch, and
`imitation.py` is an example of it.
"""
