"""Writes the parts of the page as C++ strings. embed.py OUTPUT.hpp"""
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
PARTS = {"kPageHtml": ["page.html"], "kPageCss": ["page.css"],
         "kPageScript": ["base.js", "charts.js", "tables.js", "main.js"]}
PIECE = 8000  # compilers have a limit for one literal


def literal(text):
    pieces = [text[at:at + PIECE] for at in range(0, len(text), PIECE)]
    return "\n".join(f'    R"~~~({piece})~~~"' for piece in pieces)


def main():
    lines = ["// Generated from src/report/page; change that.", "#pragma once", "", "namespace weft::report {", ""]
    for name, files in PARTS.items():
        text = "".join((HERE / file).read_text(encoding="utf-8") for file in files)
        lines += [f"inline constexpr const char* {name} =", literal(text) + ";", ""]
    lines += ["}  // namespace weft::report", ""]
    output = pathlib.Path(sys.argv[1])
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("\n".join(lines), encoding="utf-8")


main()
