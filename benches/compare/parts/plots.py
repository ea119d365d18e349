"""Plots as SVG: lines on two logarithmic axes."""

import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 380, 70, 190, 40, 50
COLOURS = ["#2563eb", "#c2410c", "#15803d", "#7c3aed"]


def plot(title, across, upwards, series, name_x, name_y):
    """A plot of `series`: by name, pairs of numbers. The names of the axes, and functions that write their numbers."""
    points = [point for line in series.values() for point in line]
    low_x, high_x = bounds([x for x, _ in points])
    low_y, high_y = bounds([y for _, y in points])
    place_x = lambda x: LEFT + (math.log10(x) - low_x) / (high_x - low_x) * (WIDTH - LEFT - RIGHT)
    place_y = lambda y: HEIGHT - BOTTOM - (math.log10(y) - low_y) / (high_y - low_y) * (HEIGHT - TOP - BOTTOM)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="22" font-size="15" fill="#111">{title}</text>',
    ]
    for power in range(math.floor(low_y), math.ceil(high_y) + 1):
        if low_y <= power <= high_y:
            y = place_y(10**power)
            parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
            parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#444">{name_y(10**power)}</text>')
    for x in sorted({x for x, _ in points}):
        parts.append(f'<text x="{place_x(x):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle" fill="#444">{name_x(x)}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle" fill="#111">{across}</text>')
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(f'<text x="16" y="{middle}" text-anchor="middle" fill="#111" transform="rotate(-90 16 {middle})">{upwards}</text>')
    for colour, (name, line) in zip(COLOURS, series.items()):
        path = " ".join(f"{place_x(x):.1f},{place_y(y):.1f}" for x, y in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{place_x(x):.1f}" cy="{place_y(y):.1f}" r="3" fill="{colour}"/>' for x, y in line]
        x, y = line[-1]
        parts.append(f'<text x="{place_x(x) + 8:.1f}" y="{place_y(y) + 4:.1f}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def bounds(numbers):
    """Powers of ten around some numbers."""
    low, high = math.log10(min(numbers)), math.log10(max(numbers))
    low, high = math.floor(low * 2) / 2, math.ceil(high * 2) / 2
    return (low, high) if high > low else (low, low + 1)


def seconds(number):
    if number is None:
        return "–"
    if number >= 100:
        return f"{number:.0f} s"
    if number >= 1:
        return f"{number:.1f} s"
    return f"{number * 1000:.0f} ms" if number >= 0.01 else f"{number * 1000:.1f} ms"


def size(number):
    if number is None:
        return "–"
    for unit, length in [("GB", 1e9), ("MB", 1e6), ("KB", 1e3)]:
        if number >= length:
            return f"{number / length:.1f}".removesuffix(".0") + f" {unit}"
    return f"{number} bytes"
