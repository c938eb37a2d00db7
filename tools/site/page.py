"""What a page of the site is, and how pages point to each other."""
import dataclasses
import html
import os
import re
from pathlib import Path


class Missing(Exception):
    """A link leads nowhere; the text names the page and the link."""


@dataclasses.dataclass
class Page:
    title: str
    url: str                  # below the site's folder
    content: str = ""         # HTML; a link to another page is href="@KEY@anchor", with the key of `links`
    links: dict = dataclasses.field(default_factory=dict)     # what is linked -> None: the keys of pages
    headings: list = dataclasses.field(default_factory=list)  # (level, id, text)
    names: list = dataclasses.field(default_factory=list)     # other names it is found under
    copy: Path = None         # a file that is handed on as it is: no page at all
    kind: str = "page"

    def body(self, where):
        """The content with its links: relative, so that the site works from any folder."""
        def link(found):
            key = html.unescape(found.group(2))
            target = next(k for k in self.links if str(k) == key)
            if target not in where:
                raise Missing(f"{self.url}: links to {key}, which is not there")
            return f'{found.group(1)}="{relative(self.url, where[target])}'
        return re.sub(r'\b(href|src)="@([^@"]+)@', link, self.content)

    def entries(self):
        """What the search finds: ((words, URL, what it is), the text there)."""
        if self.copy:
            return
        sections = self.sections()
        yield (self.title, self.url, self.kind), sections.pop(None)
        for name in self.names:
            yield (name, self.url, self.kind), ""
        for (anchor, heading), text in sections.items():
            yield (f"{heading} - {self.title}", f"{self.url}#{anchor}", self.kind), text

    def sections(self):
        """(id, heading) -> text, and None -> what stands before the first. A manual page is one: its headings are those of all."""
        cuts = [] if self.kind == "manual page" else [
            (self.content.find(f'id="{anchor}"'), (anchor, text)) for level, anchor, text in self.headings if level in (2, 3)]
        ends = [at for at, _ in cuts] + [len(self.content)]
        texts = {None: plain(self.content[:ends[0]])}
        texts.update({heading: plain(self.content[at:end]) for (at, heading), end in zip(cuts, ends[1:])})
        return texts


def relative(from_url, to_url):
    return os.path.relpath(to_url, os.path.dirname(from_url) or ".")


def plain(fragment):
    """The text of a piece of HTML."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", fragment)).split())
