"""Sphinx directives of the documentation site: the public names of a module, the gallery, the workbench, formulas.

.. public-names:: symoro            describe every name of symoro.__all__ (functions, then classes)
   :only: classes

```{robot-gallery}                  pictures and data of the bundled robots, grouped by family
```

```{workbench} rx90                 a button that loads the static workbench with this robot into the page
```
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable
from html import escape
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from symoro.models.geometric.loop.mobility import loop_mobility
from symoro.robot import library
from symoro.robot.coordinates import independent
from symoro.robot.description import BaseKind, Robot
from symoro.robot.topology import describe

FAMILIES = {
    "serial": "Serial arms",
    "tree": "Trees",
    "closed-loop": "Closed loops",
    "parallel": "Parallel robots",
    "floating": "Floating bases",
    "wheeled": "Wheeled robots",
    "elastic": "Elastic joints",
    "flexible": "Flexible links",
}


def public_names(module: str) -> list[str]:
    """Return the functions and classes of `__all__`, or of the package where there is no `__all__`.

    Names that a namespace of the module lists too (`symoro.trajectory.Trajectory`) are left to that namespace.
    """
    loaded = importlib.import_module(module)
    names = getattr(loaded, "__all__", None)
    if names is None:
        names = [
            name
            for name, value in vars(loaded).items()
            if not name.startswith("_") and str(getattr(value, "__module__", "")).startswith(module)
        ]
    values = {name: getattr(loaded, name) for name in names}
    described = [
        getattr(namespace, name)
        for namespace in values.values()
        if inspect.ismodule(namespace)
        for name in public_names(namespace.__name__)
    ]
    return [
        name
        for name, value in values.items()
        if callable(value) and not any(value is other for other in described)
    ]


def kind_of(module: str, name: str) -> str:
    """Return the autodoc directive of a name, without `auto`: class, function or data."""
    value = getattr(importlib.import_module(module), name)
    if inspect.isclass(value):
        return "class"
    return "function" if inspect.isroutine(inspect.unwrap(value)) else "data"


class PublicNames(SphinxDirective):
    """Describe the public names of a module from their docstrings."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Callable[[str], Any]]] = {
        "only": lambda text: directives.choice(text, ("classes", "functions")),
        "names": directives.unchanged,
        "except": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        module = self.arguments[0]
        listed, left_out = (set(self.options.get(key, "").split()) for key in ("names", "except"))
        lines: list[str] = [f".. currentmodule:: {module}", ""]
        for name in public_names(module):
            kind = kind_of(module, name)
            wanted = self.options.get("only") != ("functions" if kind == "class" else "classes")
            if wanted and (not listed or name in listed) and name not in left_out:
                lines += [f".. auto{kind}:: {module}.{name}", ""]
        content = StringList(lines, source=f"public names of {module}")
        return self.parse_content_to_nodes_of(content)

    def parse_content_to_nodes_of(self, content: StringList) -> list[nodes.Node]:
        node = nodes.container()
        self.state.nested_parse(content, self.content_offset, node)
        return node.children


def family(robot: Robot) -> str:
    """Return the gallery section of a robot, a key of FAMILIES."""
    from symoro.ui.service import call

    cards = {card["name"]: card["family"] for card in call("robots", {})["robots"]}
    return str(cards[robot.name])


def freedom(robot: Robot) -> str:
    """Return the degrees of freedom of a robot in words."""
    if robot.wheels:
        import symoro

        mobility = symoro.mobility(robot)
        return mobility.words.split(",  ")[0].split(", ")[0]
    degrees = loop_mobility(robot).mobility if robot.B else len(independent(robot))
    if robot.base.kind == BaseKind.FLOATING:
        return f"{degrees} joints + 6 of the base"
    return str(degrees)


def card(name: str, up: str) -> str:
    """Return the gallery card of a bundled robot as HTML; `up` leads to the root of the site."""
    robot = library.load(name)
    title = robot.title[:1].upper() + robot.title[1:]
    rows = {
        "Structure": describe(robot),
        "Degrees of freedom": freedom(robot),
        "File": f'<a href="{up}_static/robots/{name}.yaml"><code>{name}.yaml</code></a>',
        "Source": escape(robot.reference),
    }
    terms = "".join(f"<dt>{key}</dt><dd>{value}</dd>" for key, value in rows.items())
    return (
        f'<article class="robot-card" id="{name}">'
        f'<img src="{up}_static/robots/{name}.svg" alt="{escape(title)}" loading="lazy" width="320" height="240">'
        f"<h3>{escape(robot.name)}</h3><p>{escape(title)}</p><dl>{terms}</dl>"
        f'<p><code>symoro.load("{name}")</code></p>'
        f'<p><a href="{up}try.html?robot={name}">Open {escape(robot.name)} in the workbench</a></p>'
        "</article>"
    )


class RobotGallery(SphinxDirective):
    """Show every bundled robot, one section per family."""

    def run(self) -> list[nodes.Node]:
        up = "../" * self.env.docname.count("/")
        sections: list[nodes.Node] = []
        families = {name: family(library.load(name)) for name in library.names()}
        for key, title in FAMILIES.items():
            members = [name for name, its_family in families.items() if its_family == key]
            section = nodes.section(ids=[nodes.make_id(title)], names=[title.lower()])
            section += nodes.title(text=title)
            cards = "".join(card(name, up) for name in members)
            section += nodes.raw("", f'<div class="robot-cards">{cards}</div>', format="html")
            sections.append(section)
        return sections


class Workbench(SphinxDirective):
    """Embed the static workbench; a button starts it, because Python for the browser is large."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        library.load(name)  # an unknown robot is an error
        up = "../" * self.env.docname.count("/")
        html = (
            f'<div class="workbench" data-workbench="{up}_workbench/index.html" data-robot="{name}">'
            f'<img src="{up}_static/robots/{name}.svg" alt="" width="320" height="240">'
            f'<p><button type="button">Open {escape(library.load(name).name)} in the workbench</button></p>'
            '<p class="workbench-note">Loads about 8 MB (Python for the browser) from this site. The workbench needs '
            "a web server: for the files on a disk, run <code>python -m http.server -d build/docs</code> and open "
            "<code>http://localhost:8000</code>.</p></div>"
        )
        return [nodes.raw("", html, format="html")]


def visit_inline_formula(writer: HTML5Translator, node: nodes.math) -> None:
    """Write an inline formula as LaTeX text; docs/_static/formulas.js typesets it in the browser."""
    writer.body.append(writer.starttag(node, "span", "", CLASS="math", **{"data-formula": ""}))
    writer.body.append(f"{writer.encode(node.astext())}</span>")
    raise nodes.SkipNode


def visit_formula(writer: HTML5Translator, node: nodes.math_block) -> None:
    """Write a displayed formula as LaTeX text; several lines become one aligned formula."""
    text = node.astext().strip()
    if "\\\\" in text and "\\begin{" not in text:
        text = rf"\begin{{aligned}}{text}\end{{aligned}}"
    writer.body.append(writer.starttag(node, "div", "", CLASS="math", **{"data-formula": ""}))
    writer.body.append(f"{writer.encode(text)}</div>\n")
    raise nodes.SkipNode


CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
AFTER_CODE = re.compile(r"(?<=\w)``(?=\w)")
MARKUP = re.compile(r"[*|]|(?<=\w)_(?!\w)")
SECTION = re.compile(
    r"\s*(Args|Arguments|Returns|Yields|Raises|Attributes|Example|Examples|Note|Notes|See also):\s*$"
)


def docstring_as_rst(
    app: Sphinx, kind: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Turn the plain text of a docstring into reStructuredText: code in backticks, formulas as literal blocks.

    Signs that reStructuredText would read as markup (a product `a*b`, a norm |x|, a trailing _) are escaped.
    """
    result: list[str] = []
    section = literal = False
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        before = lines[number - 1].strip() if number else ""
        if SECTION.match(line):
            section, literal = True, False
        elif line.strip() and not indent:
            section = literal = False
        elif line.strip() and indent >= 4 and not before and not section and not literal:
            result += ["::", ""]
            literal = True
        if literal:
            result.append(line)
            continue
        parts = re.split(r"(`+[^`]+`+)", line)
        escaped = (
            part
            if part.startswith("``")
            else CODE.sub(r"``\1``", part)
            if part.startswith("`")
            else MARKUP.sub(r"\\\g<0>", part)
            for part in parts
        )
        result.append(AFTER_CODE.sub(r"``\\ ", "".join(escaped)))
    lines[:] = result


def drop_empty_heads(app: Sphinx, document: nodes.document) -> None:
    """Remove the head of a table whose head cells are all empty."""
    for head in list(document.findall(nodes.thead)):
        if not head.astext().strip():
            head.parent.remove(head)


def links_of_included_page(app: Sphinx, relative_path: object, parent: str, content: list[str]) -> None:
    """Make the links of a file from the root of the repository (CHANGELOG.md) relative to docs/."""
    content[0] = content[0].replace("](docs/", "](")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives and the writer of formulas."""
    known: dict[str, type[Directive]] = {
        "public-names": PublicNames,
        "robot-gallery": RobotGallery,
        "workbench": Workbench,
    }
    for name, directive in known.items():
        app.add_directive(name, directive)
    app.connect("autodoc-process-docstring", docstring_as_rst, priority=400)  # before napoleon
    app.connect("doctree-read", drop_empty_heads)
    app.connect("include-read", links_of_included_page)
    app.add_html_math_renderer("katex", (visit_inline_formula, None), (visit_formula, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
