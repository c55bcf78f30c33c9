"""Errors where an optional package, a compiler or a device is missing; these tests need none of them."""

from __future__ import annotations

import importlib

import pytest

import symoro
from symoro.errors import MissingDependencyError
from symoro.runtime import compiler


@pytest.fixture
def model():
    return symoro.generate("planar2r", "inverse-dynamics")


@pytest.mark.parametrize(("method", "package"), [("to_torch", "torch"), ("to_jax", "jax")])
@pytest.mark.parametrize("kind", ["compiled", "emitted"])
def test_missing_package(model, monkeypatch, method, package, kind):
    def without(name, *rest):
        if name.partition(".")[0] == package:
            raise ImportError(name)
        return importlib.import_module(name, *rest)

    monkeypatch.setattr(f"symoro.bridges.{package}.import_module", without)
    with pytest.raises(MissingDependencyError) as raised:
        getattr(model, method)(kind=kind)
    assert f"symoro[{package}]" in str(raised.value)


@pytest.mark.parametrize(("method", "package"), [("to_torch", "torch"), ("to_jax", "jax")])
def test_missing_compiler(monkeypatch, method, package):
    pytest.importorskip(package)
    model = symoro.generate("planar3r", "gravity-torques")  # no other test compiles it
    monkeypatch.setattr(compiler, "find_compiler", lambda: None)
    with pytest.raises(MissingDependencyError, match="C compiler"):
        getattr(model, method)()
    getattr(model, method)(kind="emitted")  # needs no compiler
