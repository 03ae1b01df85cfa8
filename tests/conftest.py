"""Every Python that a test starts finds this package and what stands in tests/support; and tests of
what is said on stderr pass on a cold cache too."""

from __future__ import annotations

import os

from numba.core import event

from hpenv.compiled import _announcer
from places import ROOT, SUPPORT

os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(SUPPORT)])
if "PYTEST_XDIST_WORKER" in os.environ:  # there is such a Python for each processor
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# That something is being compiled is not said in the Python that runs the tests.
event.unregister("numba:compile", _announcer())
