"""The manual pages, as mandoc writes them in HTML."""
import re
import subprocess

import manual  # tools/gen

from page import Page, plain


def collect(top, version):
    texts, links = manual.pages(top, version)
    also = {}
    for link, target in links.items():
        also.setdefault(f"{link.split('/')[0]}/{target}", []).append(name_of(link))
    here = {name_of(path): path for path in texts} | {
        name_of(link): f"{link.split('/')[0]}/{target}" for link, target in links.items()}
    pages = {}
    for path, text in texts.items():
        page = Page(name_of(path), url(path), names=also.get(path, []), kind="manual page")
        page.content = content(text, page, here)
        page.headings = [(2, anchor, plain(inside)) for anchor, inside in
                         re.findall(r'<h2 class="Sh" id="([^"]*)">(.*?)</h2>', page.content, flags=re.S)]
        pages[path] = page
    return pages


def names(pages):
    """The key of the page that tells of a routine or tool: shmem_long_put -> man3/shmem_put.3."""
    return {name.partition("(")[0]: key for key, page in pages.items() for name in (page.title, *page.names)}


def name_of(path):
    """man3/shmem_put.3 -> shmem_put(3)."""
    name, _, section = path.split("/")[1].rpartition(".")
    return f"{name}({section})"


def url(path):
    return f"man/{path.split('/')[1].replace('+', 'x')}.html"


def content(text, page, here):
    done = subprocess.run(["mandoc", "-Thtml", "-O", "fragment,man=@%N(%S)@"], input=text, text=True, capture_output=True,
                          check=True)
    out = re.sub(r'<table class="(?:head|foot)">.*?</table>', "", done.stdout, flags=re.S)
    # The page has a heading of its own, so these are a level lower.
    out = re.sub(r"<(/?)h2\b", r"<\1h3", out)
    out = re.sub(r"<(/?)h1\b", r"<\1h2", out)

    def reference(found):
        label = found.group(2)
        if found.group(1) not in here:
            return f'<span class="Xr">{label}</span>'  # another package's
        page.links[here[found.group(1)]] = None
        return f'<a class="Xr" href="@{here[found.group(1)]}@">{label}</a>'

    out = re.sub(r'<a class="Xr" href="@([^@]*)@"[^>]*>(.*?)</a>', reference, out, flags=re.S)
    return f"<h1>{page.title}</h1>\n{out}"
