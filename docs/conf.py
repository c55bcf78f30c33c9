"""Sphinx configuration of the documentation site; `make docs` builds it into build/docs (tools/docs_site.py)."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "src")]

import symoro  # noqa: E402

project = "symoro"
author = "the symoro authors"
copyright = "the symoro authors, MIT licence"
version = release = symoro.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_design",
    "docs_directives",  # tools/docs_directives.py
]
exclude_patterns = ["_static", "_templates"]
templates_path = ["_templates"]
nitpicky = True
# Annotations contain names of private modules and of other packages; the reference describes public names only.
nitpick_ignore_regex = [(r"py:.*", r".*")]

# Pages ------------------------------------------------------------------------------------------

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "html_image"]
myst_heading_anchors = 4
highlight_language = "none"  # indented blocks contain command lines and formulas as plain text
nb_execution_mode = "off"  # notebooks are committed with their outputs, which tools/check_docs.py compares
nb_merge_streams = True

# API reference ----------------------------------------------------------------------------------

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": False}
autodoc_preserve_defaults = True
maximum_signature_line_length = 88
python_use_unqualified_type_names = True
add_module_names = False
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

# HTML -------------------------------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = "symoro"
html_static_path = ["_static", str(ROOT / "build" / "docs-assets")]
html_math_renderer = "katex"  # tools/docs_directives.py; its files are copied by tools/docs_site.py
html_css_files = ["katex/katex.min.css", "site.css"]
html_js_files = ["katex/katex.min.js", "formulas.js", "labels.js", "workbench.js"]
html_search_scorer = str(HERE / "_static" / "scorer.js")
html_favicon = "_static/favicon.svg"
html_show_sourcelink = False
html_copy_source = False
html_permalinks_icon = "#"
html_context = {"default_mode": "auto"}
html_sidebars = {page: [] for page in ("index", "gallery", "try", "search")}
html_theme_options = {
    "logo": {
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo-dark.svg",
        "alt_text": "symoro, home",
    },
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_nav_level": 1,
    "navigation_depth": 3,
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": [], "try": []},
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "back_to_top_button": False,
}
