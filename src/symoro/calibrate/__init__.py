"""Calibration: the geometry of a robot from measurements of its end."""

from symoro.calibrate.fit import Calibration, calibrate, simulated
from symoro.calibrate.measurements import Measurements, read_measurements, write_measurements

__all__ = ["Calibration", "Measurements", "calibrate", "read_measurements", "simulated", "write_measurements"]
