"""Check the options of a floating base on the command line."""

from __future__ import annotations

from typing import Any

import pytest

from symoro.ui.cli import main


def test_the_motion_of_the_base_is_given(run: Any) -> None:
    """--base is taken: it says how a URDF is read."""
    free, given = (
        run("generate", "inverse-dynamics", "rx90_floating", *more, "--lang", "text")
        for more in ([], ["--base-motion", "given"])
    )
    assert "Vd0" in free and "wrench0" not in free
    assert "wrench0" in given


@pytest.mark.parametrize("contacts", ["6", "J6", "6:0.1,0,-0.2", "6:0.1,0,-0.2; "])
def test_contacts(run: Any, contacts: str) -> None:
    assert "forces" in run(
        "generate", "contact-dynamics", "rx90_floating", "--contacts", contacts, "--lang", "text"
    )


def test_contacts_that_are_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["count", "contact-dynamics", "rx90_floating", "--contacts", "0,1"]) == 2
    assert "is not determined" in capsys.readouterr().err
