"""Every Python that a test starts finds this package and what stands in tests/support."""

from __future__ import annotations

import os

from places import ROOT, SUPPORT

os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(SUPPORT)])
