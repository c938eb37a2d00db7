"""Pages of source files and folders that others link to; pictures are handed on as they are."""
import html

import pygments
import pygments.formatters
import pygments.lexers
import pygments.util

from page import Page

PICTURES = (".svg", ".png", ".jpg")


def make(top, path):
    name = path.relative_to(top).as_posix()
    if path.is_dir():
        return folder(path, name)
    if path.suffix in PICTURES:
        return Page(name, f"files/{name}", copy=path)
    text = path.read_text(encoding="utf-8")
    try:
        lexer = pygments.lexers.get_lexer_for_filename(path.name)
    except pygments.util.ClassNotFound:
        lexer = pygments.lexers.get_lexer_by_name("text")
    code = pygments.highlight(text, lexer, pygments.formatters.HtmlFormatter(cssclass="codehilite"))
    return Page(name, f"files/{name}.html", f"<h1>{html.escape(name)}</h1>\n{code}", kind="source file")


def folder(path, name):
    page = Page(f"{name}/", f"files/{name}/index.html", kind="folder")
    items = []
    for each in sorted(p for p in path.rglob("*") if p.is_file() and p.name != "CMakeLists.txt" and
                       "__pycache__" not in p.parts):
        page.links[each] = None
        items.append(f'<li><a href="@{html.escape(str(each))}@">{html.escape(each.relative_to(path).as_posix())}</a></li>')
    page.content = f"<h1>{html.escape(name)}/</h1>\n<ul>\n" + "\n".join(items) + "\n</ul>"
    return page
