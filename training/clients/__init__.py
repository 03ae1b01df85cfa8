"""Training with other libraries, one short example each: `python -m hpenv.training.clients.NAME`.

Each needs its library, which `pip install` brings by the name in its docstring. `make test-clients`
runs them all.
"""
