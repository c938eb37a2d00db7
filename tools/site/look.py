"""How pages look: one frame, one style sheet, and a little script for the search and the choice of light or dark."""
import html
from pathlib import Path

import pygments.formatters

from page import relative

HERE = Path(__file__).resolve().parent
FRAME = (HERE / "frame.html").read_text(encoding="utf-8")


def files():
    """Files that all pages share."""
    return {"style.css": (HERE / "style.css").read_text(encoding="utf-8") + colours(),
            **{name: (HERE / name).read_text(encoding="utf-8") for name in ("search.js", "site.js")}}


def colours():
    """Of code: by day, and by night where the system or the reader says so."""
    day = pygments.formatters.HtmlFormatter(style="friendly")
    night = pygments.formatters.HtmlFormatter(style="one-dark")
    chosen = night.get_style_defs(':root[data-theme="dark"] .codehilite')
    system = night.get_style_defs(':root:not([data-theme="light"]) .codehilite')
    return (f"\n{day.get_style_defs('.codehilite')}\n{chosen}\n"
            f"@media (prefers-color-scheme: dark) {{\n{system}\n}}\n")


def page(page_, body, tree, version):
    fillings = {
        "TITLE": html.escape(page_.title if page_.url == "index.html" else f"{page_.title} - Weft"),
        "ROOT": relative(page_.url, "."),
        "NAVIGATION": "\n".join(group(each, page_) for each in tree),
        "KIND": page_.kind.replace(" ", "-"),
        "VERSION": version,
        "BODY": body,
    }
    out = FRAME
    for name, filling in fillings.items():
        out = out.replace(f"@{name}@", filling)
    return out


def group(each, here, level=0):
    items = "\n".join(item(page_, here) for page_ in each.pages)
    inner = "\n".join(group(one, here, level + 1) for one in each.groups)
    listed = f"<ul>\n{items}\n</ul>\n" if items else ""
    if level == 0:
        return f"<section><h2>{html.escape(each.title)}</h2>\n{listed}{inner}</section>"
    opened = " open" if each.holds(here) else ""
    return f"<details{opened}><summary>{html.escape(each.title)}</summary>\n{listed}{inner}</details>"


def item(page_, here):
    link = f'<a href="{relative(here.url, page_.url)}"'
    if page_ is not here:
        return f"<li>{link}>{html.escape(page_.title)}</a></li>"
    headings = [(anchor, text) for level, anchor, text in page_.headings if level == 2]
    inner = "".join(f'<li><a href="#{anchor}">{html.escape(text)}</a></li>' for anchor, text in headings)
    inner = f"<ul>{inner}</ul>" if len(headings) > 1 else ""
    return f'<li>{link} aria-current="page">{html.escape(page_.title)}</a>{inner}</li>'
