"""Publications on which the models are based."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Reference:
    """Publication, with the section or equation that a model follows (`place`)."""

    key: str
    text: str
    bibtex: str
    place: str = ""

    def at(self, place: str) -> Reference:
        """Return the same publication with the section or equation `place`."""
        return replace(self, place=place)

    def __str__(self) -> str:
        return f"{self.text}, {self.place}" if self.place else self.text


def _article(key: str, author: str, title: str, journal: str, year: int, details: str = "") -> Reference:
    lines = [
        f"author = {{{author}}}",
        f"title = {{{title}}}",
        f"journal = {{{journal}}}",
        f"year = {{{year}}}",
    ]
    if details:
        lines.append(details)
    bibtex = f"@article{{{key},\n  " + ",\n  ".join(lines) + "\n}"
    return Reference(key, f"{author.replace(' and ', ', ')}: {title}. {journal}, {year}", bibtex)


SYMORO_1997 = _article(
    "khalil-creusot-1997",
    "W. Khalil and D. Creusot",
    "SYMORO+: a system for the symbolic modelling of robots",
    "Robotica",
    1997,
    "volume = {15}, pages = {153--161}",
)
NEWTON_EULER_2010 = _article(
    "khalil-2010",
    "W. Khalil",
    "Dynamic modeling of robots using recursive Newton-Euler techniques",
    "International Conference on Informatics in Control, Automation and Robotics",
    2010,
)
MINIMUM_PARAMETERS_1988 = _article(
    "gautier-khalil-1988",
    "M. Gautier and W. Khalil",
    "A direct determination of minimum inertial parameters of robots",
    "IEEE International Conference on Robotics and Automation",
    1988,
    "pages = {1682--1687}",
)
CALIBRATION_1991 = _article(
    "khalil-gautier-enguehard-1991",
    "W. Khalil and M. Gautier and Ch. Enguehard",
    "Identifiable parameters and optimum configurations for robots calibration",
    "Robotica",
    1991,
    "volume = {9}, pages = {63--70}",
)
FLEXIBLE_1998 = _article(
    "boyer-khalil-1998",
    "F. Boyer and W. Khalil",
    "An efficient calculation of flexible manipulator inverse dynamics",
    "International Journal of Robotics Research",
    1998,
    "volume = {17}, number = {3}, pages = {282--293}",
)
LAGRANGE_2008 = _article(
    "filip-2008",
    "V. Filip",
    "Dynamic modeling of manipulators with symbolic computational method",
    "Proceedings of the Romanian Academy, Series A",
    2008,
)
WHEELED_1996 = _article(
    "campion-bastin-dandrea-novel-1996",
    "G. Campion and G. Bastin and B. d'Andrea-Novel",
    "Structural properties and classification of kinematic and dynamic models of wheeled mobile robots",
    "IEEE Transactions on Robotics and Automation",
    1996,
    "volume = {12}, pages = {47--62}",
)
