"""Puts the Javadoc of the pool (WEIR_JAVADOC, a folder) into the site as api/, and a link to it into the navigation."""

import os

from mkdocs.structure.files import File
from mkdocs.structure.nav import Link


def on_files(files, config):
    javadoc = os.environ.get("WEIR_JAVADOC")
    for folder, _, names in os.walk(javadoc or ""):
        for name in names:
            path = os.path.join(folder, name)
            inside = os.path.relpath(path, javadoc)
            files.append(File.generated(config, f"api/{inside}", abs_src_path=path))
    return files


def on_nav(nav, config, files):
    if os.environ.get("WEIR_JAVADOC"):
        reference = next(item for item in nav.items if item.title == "Reference")
        link = Link("Java API", "api/index.html")
        link.parent = reference
        reference.children.append(link)
    return nav
