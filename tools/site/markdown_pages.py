"""Pages of Markdown files."""
import html
import re
from pathlib import Path

import markdown

from page import Missing, Page, plain

# What stands behind the language of a block is for the tests of the documentation, not for readers.
FENCE = re.compile(r"^(```)([\w+-]*)[^\n`]*$", flags=re.M)
LINK = re.compile(r'\b(href|src)="([^"]*)"')


def roots(top):
    return [top / "README.md", top / "CONTRIBUTING.md", top / "SECURITY.md", top / "CHANGELOG.md",
            *sorted((top / "docs").rglob("*.md"))]


def slug(text, separator="-"):
    """Anchors as GitHub makes them, so that links work here as there."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def make(top, path, manual):
    """`manual`: name of a routine or tool -> key of its page, to which the name becomes a link."""
    text = FENCE.sub(r"\1\2", path.read_text(encoding="utf-8"))
    converter = markdown.Markdown(
        extensions=["fenced_code", "tables", "toc", "codehilite", "sane_lists", "md_in_html"], output_format="html",
        extension_configs={"toc": {"slugify": slug}, "codehilite": {"guess_lang": False}})
    content = converter.convert(text)
    headings = [(int(level), anchor, plain(inside)) for level, anchor, inside in
                re.findall(r'<h([1-6]) id="([^"]*)">(.*?)</h\1>', content, flags=re.S)]
    name = path.relative_to(top)
    title = next((text for level, _, text in headings if level == 1), name.stem)
    page = Page(title, url(name), headings=headings)
    content = re.sub(r'<h([2-6]) id="([^"]*)">(.*?)</h\1>',
                     r'<h\1 id="\2">\3 <a class="anchor" href="#\2" aria-label="link to this section">#</a></h\1>',
                     content, flags=re.S)
    content = re.sub(r"<table>(.*?)</table>", r'<div class="table"><table>\1</table></div>', content, flags=re.S)
    content = re.sub(r"<td([^>]*)>(.*?)</td>", cell, content, flags=re.S)
    page.content = LINK.sub(lambda found: link(top, path, page, *found.groups()), content)

    def reference(found):
        name = found.group(2)
        if name not in manual:  # or a link already
            return found.group()
        page.links[manual[name]] = None
        return f'<a href="@{manual[name]}@"><code>{found.group(1)}</code></a>'

    page.content = re.sub(r"<a\b.*?</a>|<code>((\w[\w+-]*)(?:\(\))?)</code>", reference, page.content, flags=re.S)
    return page


def cell(found):
    """A number and its unit, or a word or two, stay in one line."""
    short = ' class="short"' if len(plain(found.group(2))) <= 18 else ""
    return f"<td{found.group(1)}{short}>{found.group(2)}</td>"


def url(name):
    if name == Path("README.md"):
        return "index.html"
    name = Path(*name.parts[1:]) if name.parts[0] == "docs" else name
    return str(name.with_name("index.html") if name.name == "README.md" and len(name.parts) > 1 else
               name.with_suffix(".html") if name.name != "README.md" else Path("docs.html"))


def link(top, path, page, attribute, target):
    if re.match(r"[a-z]+:|#|@", target):
        return f'{attribute}="{target}"'
    target, hash_sign, anchor = html.unescape(target).partition("#")
    linked = (path.parent / target).resolve()
    if not linked.is_relative_to(top):
        raise Missing(f"{page.url}: links to {target}, which is outside of the project")
    if not linked.exists():
        raise Missing(f"{page.url}: links to {target}, which is not there")
    if linked.is_dir() and (linked / "README.md").exists():
        linked = linked / "README.md"
    page.links[linked] = None
    return f'{attribute}="@{html.escape(str(linked))}@{hash_sign}{html.escape(anchor)}"'
