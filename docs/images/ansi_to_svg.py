#!/usr/bin/env python3
"""Draws a terminal's screen, as `tmux capture-pane -pe` prints it, as SVG: `ansi_to_svg.py < screen > picture.svg`."""

import re
import sys
import unicodedata
from html import escape

CELL_WIDTH, CELL_HEIGHT, FONT_SIZE = 8.43, 18, 14
FOREGROUND, BACKGROUND = "#e0e2ea", "#14161b"
BASIC = ["#07080d", "#ffc0b9", "#b3f6c0", "#fce094", "#a6dbff", "#ffcaff", "#8cf8f7", "#e0e2ea"]
GREYS = 232


def colour_of(codes):
    """The colour that `38;…` or `48;…` goes on to name."""
    kind = codes.pop(0)
    if kind == 2:
        return "#%02x%02x%02x" % (codes.pop(0), codes.pop(0), codes.pop(0))
    number = codes.pop(0)
    if number < 16:
        return BASIC[number % 8]
    if number >= GREYS:
        return "#%02x%02x%02x" % ((8 + 10 * (number - GREYS),) * 3)
    number -= 16
    return "#%02x%02x%02x" % tuple(0 if level == 0 else 55 + 40 * level for level in (number // 36, number // 6 % 6, number % 6))


class Style:
    def __init__(self):
        self.foreground, self.background, self.bold, self.italic, self.underline, self.reverse = FOREGROUND, None, False, False, False, False

    def apply(self, codes):
        codes = [int(code) for code in re.split("[;:]", codes) if code] or [0]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.__init__()
            elif code in (1, 3, 4, 7):
                setattr(self, {1: "bold", 3: "italic", 4: "underline", 7: "reverse"}[code], True)
            elif code in (22, 23, 24, 27):
                setattr(self, {22: "bold", 23: "italic", 24: "underline", 27: "reverse"}[code], False)
            elif code == 38:
                self.foreground = colour_of(codes)
            elif code == 48:
                self.background = colour_of(codes)
            elif code == 39:
                self.foreground = FOREGROUND
            elif code == 49:
                self.background = None
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.foreground = BASIC[code % 10]
            elif 40 <= code <= 47:
                self.background = BASIC[code % 10]

    def colours(self):
        if self.reverse:
            return self.background or BACKGROUND, self.foreground
        return self.foreground, self.background


def runs(line, style):
    """Stretches of one style: column, width, text, style's colours and attributes. The style of one line's end is that of the next's begin."""
    column = 0
    for part in re.split(r"(\x1b\[[0-9;:]*m)", line):
        if part.startswith("\x1b["):
            style.apply(part[2:-1])
        elif part:
            width = sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in part)
            yield column, width, part, style.colours(), (style.bold, style.italic, style.underline)
            column += width


def svg(screen):
    lines = screen.rstrip("\n").split("\n")
    widths = [sum(width for _, width, *_ in runs(line, Style())) for line in lines]
    width, height = max(widths) * CELL_WIDTH + 24, len(lines) * CELL_HEIGHT + 24
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}" '
           f'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="{FONT_SIZE}">')
    yield f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>'
    style = Style()
    for number, line in enumerate(lines):
        top = 12 + number * CELL_HEIGHT
        for column, cells, text, (foreground, background), (bold, italic, underline) in runs(line, style):
            left = 12 + column * CELL_WIDTH
            if background:
                yield f'<rect x="{left:.1f}" y="{top}" width="{cells * CELL_WIDTH + 0.3:.1f}" height="{CELL_HEIGHT}" fill="{background}"/>'
            attributes = ' font-weight="bold"' * bold + ' font-style="italic"' * italic + ' text-decoration="underline"' * underline
            # Word by word, so that columns stay columns in whatever font is there.
            for word in re.finditer(r"[^ ]+", text):
                left = 12 + (column + word.start()) * CELL_WIDTH
                length = len(word.group()) * CELL_WIDTH
                yield (f'<text x="{left:.1f}" y="{top + 13}" fill="{foreground}"{attributes} textLength="{length:.1f}" '
                       f'lengthAdjust="spacingAndGlyphs">{escape(word.group())}</text>')
    yield "</svg>"


if __name__ == "__main__":
    print("\n".join(svg(sys.stdin.read())))
