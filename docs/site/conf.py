"""Sphinx's settings of the site. `./mallard docs` passes the version, and the folder of its pages."""

project = "mallard"
author = "the authors of mallard"
project_copyright = author
extensions = ["myst_parser"]
exclude_patterns: list[str] = []
suppress_warnings = ["misc.highlighting_failure"]  # excerpts of programs
highlight_language = "none"
smartquotes = False
myst_heading_anchors = 4  # as on GitHub

html_theme = "furo"
html_static_path = ["style.css"]
html_css_files = ["style.css"]
html_copy_source = False
html_show_sphinx = False
# Summaries are fetched, which a browser refuses to a page of a folder.
html_show_search_summary = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "github-dark"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#166b54", "color-brand-content": "#166b54"},
    "dark_css_variables": {"color-brand-primary": "#5cc9a9", "color-brand-content": "#5cc9a9"},
}
