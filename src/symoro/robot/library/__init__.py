"""Bundled robots: one YAML file per robot, transcribed from the published source in its `reference`.

docs/robots.md lists them.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from symoro.errors import UnknownNameError
from symoro.robot.description import Robot
from symoro.robot.formats.yaml_file import read_yaml

_SUFFIX = ".yaml"

_ALIASES = {
    "2r": "planar2r",
    "3r": "planar3r",
    "5bar": "fivebar",
    "4bar": "fourbar",
    "abb irb 120": "irb120",
    "acma sr400": "sr400",
    "adept cobra s600": "scara",
    "ackermann": "car_ackermann",
    "akr": "akr3000",
    "bicycle": "car",
    "cartesian": "gantry",
    "crank slider": "slidercrank",
    "differential drive": "diffdrive",
    "four wheel car": "car_ackermann",
    "franka": "panda",
    "franka panda": "panda",
    "franka emika panda": "panda",
    "humanoid": "humanoid_torso",
    "iiwa": "iiwa14",
    "j2n6s300": "jaco2",
    "kinova jaco2": "jaco2",
    "kuka iiwa": "iiwa14",
    "kuka iiwa 14": "iiwa14",
    "kuka lbr iiwa 14": "iiwa14",
    "kuka lwr 4+": "lwr4plus",
    "lbr iiwa 14 r820": "iiwa14",
    "lwr": "lwr4plus",
    "lwr4": "lwr4plus",
    "lwr 4+": "lwr4plus",
    "omni": "omni3",
    "puma": "puma560",
    "rx90 flex": "rx90_elastic",
    "stanford arm": "stanford",
    "staubli rx90": "rx90",
    "staubli tx40": "tx40",
    "three wheel omni": "omni3",
    "turtlebot3": "diffdrive",
    "unicycle": "diffdrive",
    "unimation puma 560": "puma560",
    "universal robots ur3e": "ur3e",
    "universal robots ur5e": "ur5e",
    "universal robots ur10e": "ur10e",
}


def names() -> list[str]:
    """Return the identifiers of the bundled robots, in alphabetical order."""
    return list(_ids())


def load(name: str) -> Robot:
    """Load a bundled robot by its id or another usual name; case, '-', '_' and spaces are ignored.

    Raises:
        UnknownNameError: there is no bundled robot of this name.
    """
    return _read(id_of(name))


def id_of(name: str) -> str:
    """Return the identifier of a bundled robot from any of its names.

    Raises:
        UnknownNameError: there is no bundled robot of this name.
    """
    robot_id = _by_plain_name().get(_plain(name))
    if robot_id is None:
        raise UnknownNameError("bundled robot", name, names())
    return robot_id


@cache
def _ids() -> tuple[str, ...]:
    files = (entry.name for entry in resources.files(__name__).iterdir())
    return tuple(sorted(file.removesuffix(_SUFFIX) for file in files if file.endswith(_SUFFIX)))


@cache
def _by_plain_name() -> dict[str, str]:
    aliases = {_plain(alias): robot for alias, robot in _ALIASES.items()}
    return aliases | {_plain(robot): robot for robot in _ids()}


@cache
def _read(robot: str) -> Robot:
    file = robot + _SUFFIX
    text = (resources.files(__name__) / file).read_text(encoding="utf-8")
    return read_yaml(text, file)


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter not in "-_ ")
