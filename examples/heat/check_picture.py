#!/usr/bin/env python3
"""The picture of the heat example: a PNG as the standard says, and the same whatever the number of PEs.

usage: check_picture.py OSHRUN HEAT
"""

import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

WIDTH, HEIGHT = 1400, 50  # wide enough to be scaled down; bands that end within a pixel


def chunks(png):
    assert png[:8] == b"\x89PNG\r\n\x1a\n", "no PNG signature"
    at = 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind_and_data = png[at + 4 : at + 8 + length]
        (crc,) = struct.unpack(">I", png[at + 8 + length : at + 12 + length])
        assert crc == zlib.crc32(kind_and_data), f"wrong checksum of {kind_and_data[:4]}"
        yield kind_and_data[:4], kind_and_data[4:]
        at += 12 + length


def pixels(png):
    """Width, height, rows of shades."""
    found = dict(chunks(png))
    assert list(found) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"], list(found)
    width, height, depth, kind, *methods = struct.unpack(">IIBBBBB", found[b"IHDR"])
    assert (depth, kind, methods) == (8, 3, [0, 0, 0]), (depth, kind, methods)
    assert len(found[b"PLTE"]) == 3 * 256
    data = zlib.decompress(found[b"IDAT"])
    assert len(data) == (width + 1) * height, len(data)
    rows = [data[y * (width + 1) : (y + 1) * (width + 1)] for y in range(height)]
    assert all(row[0] == 0 for row in rows), "a row has a filter"
    return width, height, [row[1:] for row in rows]


def main():
    oshrun, heat = sys.argv[1:]
    pictures = []
    with tempfile.TemporaryDirectory() as folder:
        for n_pes in (1, 3):
            file = Path(folder) / f"{n_pes}.png"
            command = [oshrun, "-n", n_pes, heat, "-w", WIDTH, "-h", HEIGHT, "-s", 64, "-o", file]
            subprocess.run([str(word) for word in command], check=True)
            pictures.append(pixels(file.read_bytes()))
    (width, height, one), (other_width, other_height, three) = pictures
    assert (width, height) == (other_width, other_height)
    panel_width, panel_height = (width - 4) // 2, (height - 4) // 2
    assert (panel_width, panel_height) == (WIDTH // 3, HEIGHT // 3), (panel_width, panel_height)
    # A pixel at the end of a PE's rows is the mean of fewer cells: a few shades may differ, by little.
    differing = sum(abs(a - b) > 128 for row, other in zip(one, three) for a, b in zip(row, other))
    assert differing == 0, f"{differing} pixels differ"
    hot = [sum(shade > 200 for row in one[: panel_height] for shade in row[:panel_width]),
           sum(shade > 200 for row in one[panel_height + 4 :] for shade in row[panel_width + 4 :])]
    assert hot[0] > hot[1], f"the plate did not cool: {hot} hot pixels"
    print(f"a picture of {width} x {height}, hot pixels at the beginning and the end: {hot}")


if __name__ == "__main__":
    main()
