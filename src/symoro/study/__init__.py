"""Sweeps and design studies: models and measures over grids and samples, and optimisation of designs."""

from symoro.study.design import Criterion as Criterion
from symoro.study.design import DesignResult as DesignResult
from symoro.study.design import DesignStudy as DesignStudy
from symoro.study.measures import MEASURES as MEASURES
from symoro.study.study_file import bundled_studies as bundled_studies
from symoro.study.study_file import load_study as load_study
from symoro.study.study_file import optimise_design as optimise_design
from symoro.study.study_file import read_study as read_study
from symoro.study.sweep import Sweep as Sweep
from symoro.study.sweep import sweep as sweep

__all__ = [
    "MEASURES",
    "Criterion",
    "DesignResult",
    "DesignStudy",
    "Sweep",
    "bundled_studies",
    "load_study",
    "optimise_design",
    "read_study",
    "sweep",
]
