"""Import the modules that all workers need; the fork server runs this once, and its child processes inherit them."""

from __future__ import annotations

import os

# Matrices are small, and a process that comes from another has no other threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy  # noqa: F401

import symoro.runtime.function
import symoro.ui.service  # noqa: F401
from symoro.models.catalogue import catalogue

catalogue()
