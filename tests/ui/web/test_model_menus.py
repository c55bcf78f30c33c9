"""Short titles of the models in the menus of the page: one for each model of the catalogue."""

from __future__ import annotations

import re
from pathlib import Path

from symoro.models.catalogue import catalogue

MENUS = Path(__file__).parents[3] / "frontend" / "src" / "shell" / "modelMenus.ts"


def test_every_model_has_one_short_title() -> None:
    rows = re.findall(r'^  \["([\w-]+)", "([^"]+)"\],$', MENUS.read_text(), re.M)
    assert sorted(model for model, _ in rows) == sorted(catalogue())
    assert len({title for _, title in rows}) == len(rows)
    assert max(len(title) for _, title in rows) <= 32
