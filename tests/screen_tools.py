"""Pages of the screen, as tests look at them."""

from differenzler_env.play.screen import HEIGHT, WIDTH


def lines_of(page):
    return page.plain.split("\n")


def fits(page):
    lines = lines_of(page)
    return len(lines) == HEIGHT and all(len(line) <= WIDTH for line in lines)
