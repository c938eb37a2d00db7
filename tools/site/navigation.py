"""What stands in the margin of every page: titled groups of pages, some of them folded."""
import dataclasses
import re

from page import Page


@dataclasses.dataclass
class Group:
    title: str
    pages: list
    groups: list = dataclasses.field(default_factory=list)

    def holds(self, page):
        return any(each is page for each in self.pages) or any(group.holds(page) for group in self.groups)


def tree(top, pages):
    docs = top / "docs"
    groups = [Group("Weft", [renamed(pages[top / "README.md"], "Overview")])]
    if guide := in_order(pages, docs / "guide"):
        groups.append(Group("Guide", guide))
    taken = {docs / name for name in ("architecture.md", "README.md")}
    reference = [page for path, page in pages.items() if not isinstance(path, str) and path.parent == docs
                 and path.suffix == ".md" and path not in taken]
    groups.append(Group("Reference", sorted(reference, key=lambda page: page.title)))
    groups.append(manual_group(pages))
    inside = [top / "CONTRIBUTING.md", docs / "architecture.md", docs / "README.md", top / "SECURITY.md",
              top / "CHANGELOG.md"]
    groups.append(Group("Inside", [pages[path] for path in inside if path in pages],
                        [Group("Decisions", in_order(pages, docs / "adr"))]))
    return groups


def renamed(page, title):
    page.title = title
    return page


def in_order(pages, folder):
    """A folder's pages: its README, then the others as that names them, then the rest."""
    there = {path: page for path, page in pages.items() if not isinstance(path, str) and path.parent == folder
             and path.suffix == ".md"}
    readme = there.pop(folder / "README.md", None)
    named = [path for path in readme.links if path in there] if readme else []
    return ([readme] if readme else []) + [there[path] for path in [*named, *sorted(set(there) - set(named))]]


def manual_group(pages):
    """Tools and the overview, then the routines by area, as weft(7) has them."""
    manual = {page.title: page for page in pages.values() if page.kind == "manual page"}
    rest = [page for name, page in sorted(manual.items()) if not name.endswith("(3)")]
    areas = []
    for title, inside in re.findall(r'<h3 class="Ss"[^>]*>(.*?)</h3>(.*?)(?=<h[23]|\Z)', manual["weft(7)"].content, flags=re.S):
        listed = [name.split("/")[1] for name in re.findall(r'<dt.*?href="@(man3/[^@]*)@', inside)]
        found = [manual[f"{name.removesuffix('.3')}(3)"] for name in listed]
        if found:
            areas.append(Group(re.sub(r"<[^>]*>", "", title), found))
    return Group("Manual pages", rest, areas)


__all__ = ["Group", "Page", "tree"]
