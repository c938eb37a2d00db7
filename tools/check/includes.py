"""What our files include, by the compiler's own account: what of tools/check asks for it.

Every source is run through the preprocessor with the command it is compiled with (compile_commands.json of a build, or a
plain one where there is none). Its option -dI repeats each include directive it obeys, with comments gone and macros
replaced, also where the file was read before; line markers say which file it stands in. Headers and sources that no
compilation reads are read alone. What stands in a part that this configuration leaves out (#if) is added from the text.

Headers of the system are empty here: only their names matter, and reading them would take nearly all of the time.
"""

import json
import os
import re
import shlex
import subprocess
import tempfile
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

SUFFIXES = {".hpp", ".h", ".cpp", ".c"}
HEADERS = {".hpp", ".h"}
STANDARD = "-std=c++20"

MARK = re.compile(r'^# (?P<line>\d+) "(?P<file>[^"\n]*)"[^\n]*\n'
                  r'|^#\s*(?:include|include_next|import)\s*(?P<how>["<])(?P<name>[^">\n]+)[">]', re.MULTILINE)
DIRECTIVE = re.compile(r'^[ \t]*(?:#|%:)[ \t]*(?:include|include_next|import)\s*(["<])([^">\n]+)[">]', re.MULTILINE)
COMMENT_OR_TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/', re.DOTALL)
MISSING = re.compile(r"fatal error: '?([^':\n]+)'?(?:: No such file or directory| file not found)")
FATAL = re.compile(r"^[^\n]*fatal error: [^\n]*", re.MULTILINE)
MOST_STUBS = 64  # of one source, beside those that our own text names: more are a mistake here
NO_SYSTEM = ("-nostdinc", "-nostdinc++")  # g++ heeds the first alone, clang++ takes both

# file: the one the directive stands in; target: the file of ours it finds, or None; angle: it is written <name>.
Include = namedtuple("Include", "file line name angle target")


def without_comments(text):
    """The text with its comments blank; lines keep their numbers."""
    def blank(match):
        found = match.group(0)
        return found if found[0] in "\"'" else "\n" * found.count("\n") or " "
    return COMMENT_OR_TEXT.sub(blank, text)


def folders_of(arguments):
    """Where a command searches for headers, of the options -I, -iquote, -isystem, -idirafter."""
    folders = []
    following = iter(arguments)
    for word in following:
        for option in ("-isystem", "-iquote", "-idirafter", "-I"):
            if word.startswith(option):
                folders.append(word[len(option):] or next(following, ""))
                break
    return folders


def bare_command(entry):
    """The command of an entry of compile_commands.json without a launcher, its output and its source."""
    words = entry.get("arguments") or shlex.split(entry["command"])
    if Path(words[0]).name in ("ccache", "sccache", "distcc"):
        words = words[1:]
    kept = []
    following = iter(words)
    for word in following:
        if word in ("-o", "-MF", "-MT", "-MQ"):
            next(following, None)
        elif word not in ("-c", "-MD", "-MMD", entry["file"]):
            kept.append(word)
    return kept


def make_stub(folder, name):
    """An empty header of this name. False: no such thing can be made below the folder."""
    if ".." in Path(name).parts or Path(name).is_absolute():
        return False
    stub = folder / name
    try:
        stub.parent.mkdir(parents=True, exist_ok=True)
        stub.touch()
    except OSError:  # another header is called as its folder
        return False
    return True


class Reader:
    """Reads the sources of `folders` below `top`; `build`: a configured build folder, or None."""

    def __init__(self, top, build, folders):
        self.top = top
        self.build = build
        self.files = sorted(path for folder in folders if (top / folder).is_dir()
                            for path in (top / folder).rglob("*") if path.suffix in SUFFIXES and path.is_file())
        self.generated = [build / "generated" / each for each in ("include", "src", "mpi/include")] if build else []
        self.roots = [top / "src", top, top / "include", *self.generated]
        self.commands = self._commands()
        self.texts = {}       # file: its text without comments
        self.includes = set()
        self.read = set()     # files of ours that the compiler has opened
        self.problems = []

    def _commands(self):
        """{source: (folder the compiler runs in, its words)}, of what lies below our folders."""
        found = {}
        listing = self.build / "compile_commands.json" if self.build else None
        for entry in json.loads(listing.read_text()) if listing and listing.exists() else []:
            path = Path(os.path.realpath(os.path.join(entry["directory"], entry["file"])))
            if path not in found:
                found[path] = (entry["directory"], bare_command(entry))
        return found

    def _command_for(self, path):
        """Its own; or for what is in no list that of a neighbour, who knows the same libraries; or a plain one."""
        if path in self.commands:
            return self.commands[path]
        for folder in path.parents:
            if folder == self.top:
                break
            for source in self.commands:
                if source.parent == folder:
                    return self.commands[source]
        return str(self.top), [os.environ.get("CXX", "c++"), STANDARD, *(f"-I{root}" for root in self.roots)]

    def run(self):
        with tempfile.TemporaryDirectory() as stubs, ThreadPoolExecutor(os.cpu_count()) as pool:
            self._make_stubs(Path(stubs))

            def read_all(paths):
                for _ in pool.map(lambda path: self._read(path, Path(stubs)), paths):
                    pass
            read_all([path for path in self.files if path.suffix not in HEADERS])
            read_all([path for path in self.files if path not in self.read])
        self._add_what_is_left_out()
        return self

    def _make_stubs(self, stubs):
        """An empty file for each header that our text names and that is not ours: the search comes to them last."""
        for path in self.files:
            for match in DIRECTIVE.finditer(self._text(path)):
                if not any(is_file(folder / match[2]) for folder in (path.parent, *self.roots)):
                    make_stub(stubs, match[2])

    def _text(self, path):
        if path not in self.texts:
            self.texts[path] = without_comments(path.read_text())
        return self.texts[path]

    def _read(self, path, stubs):
        folder, words = self._command_for(path)
        language = "c" if path.suffix == ".c" else "c++"
        command = [*words, "-w", "-E", "-dI", *NO_SYSTEM, "-idirafter", str(stubs), "-x", language, str(path)]
        for _ in range(MOST_STUBS):
            done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", errors="replace", check=False,
                                  env={**os.environ, "LC_ALL": "C"})
            # Named by a macro or by what the build has made, or a header that it has yet to make: we only want the name.
            missing = MISSING.search(done.stderr)
            if not missing or not make_stub(stubs, missing[1]):
                break
        fatal = FATAL.search(done.stderr)
        if fatal or not done.stdout:
            reason = fatal[0] if fatal else f"{path}:1: the compiler does not read it: {done.stderr.strip()[:200]}"
            self.problems.append(reason.replace(f"{self.top}/", ""))
        self._take(done.stdout, folder, [Path(folder, name) for name in folders_of(words)])

    def _take(self, text, folder, search):
        """The includes of a preprocessed source that stand in files of ours."""
        file, line, since = None, 0, 0
        for match in MARK.finditer(text):
            if match["file"] is not None:
                path = our_path(os.path.join(folder, match["file"]), str(self.top))
                file, line, since = path, int(match["line"]), match.end()
                if path:
                    self.read.add(path)
            elif file:
                number = line + text.count("\n", since, match.start())
                self.includes.add(self._include(file, number, match["name"], match["how"] == "<", search))

    def _include(self, file, line, name, angle, search):
        places = search if angle else [file.parent, *search]
        for place in places:
            target = our_path(os.path.join(place, name), str(self.top))
            if target and is_file(target):
                return Include(file, line, name, angle, self._home_of(target))
        return Include(file, line, name, angle, None)

    def _home_of(self, target):
        """Where a file stands that the build makes: of a template beside the sources, or of the interface."""
        if self.build and target.is_relative_to(self.build) and not any(target.is_relative_to(g) for g in self.generated):
            return self.top / target.relative_to(self.build)
        return target

    def _add_what_is_left_out(self):
        known = {(include.file, include.name) for include in self.includes}
        for path in self.files:
            text = self._text(path)
            for match in DIRECTIVE.finditer(text):
                if (path, match[2]) not in known:
                    number = text.count("\n", 0, match.start()) + 1
                    self.includes.add(self._include(path, number, match[2], match[1] == "<", self.roots))


@cache
def our_path(name, top):
    """The path of a file below `top`, or None for all others."""
    path = os.path.realpath(name)
    return Path(path) if path.startswith(top + os.sep) else None


@cache
def is_file(path):
    return path.is_file()
