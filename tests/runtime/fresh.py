"""Models of which nothing is compiled yet."""

from __future__ import annotations

import dataclasses

from symoro.model import Model


def uncompiled(model: Model) -> Model:
    """Return the model with a copy of its program: functions of one program share their compiled code."""
    return Model(model.robot, model.entry, model.options, dataclasses.replace(model.program))
