"""Foundation: what people read, in English and German, in the words of Jass players."""

import os
from collections.abc import Mapping

LANGUAGES = ("en", "de")

MESSAGES: dict[str, tuple[str, str]] = {
    "Seat": ("Seat {seat}", "Platz {seat}"),
    "you": ("you", "du"),
    "dealer": ("dealer", "Geber"),
    "bid": ("bid", "Ansage"),
    "points": ("points", "Punkte"),
    "total": ("total", "Total"),
    "trump": ("trump", "Trumpf"),
    "deal_of": ("deal {deal} of {deals}", "Spiel {deal} von {deals}"),
    "trick_of": ("trick {trick} of {tricks}", "Stich {trick} von {tricks}"),
    "bidding": ("bidding", "Ansagen"),
    "match over": ("match over", "Partie zu Ende"),
    "points_to_seat": ("{points} to seat {seat}", "{points} an Platz {seat}"),
}
"""Message → English, German. Braces name values."""


class Words:
    """The messages of one language.

    Args:
        language: ``"en"`` or ``"de"``.

    Raises:
        ValueError: for another language.
    """

    def __init__(self, language: str = "en") -> None:
        if language not in LANGUAGES:
            raise ValueError(f"language is {language!r}; allowed: {', '.join(LANGUAGES)}")
        self.language = language
        self._column = LANGUAGES.index(language)

    def __call__(self, message: str, **values: object) -> str:
        """A message with its values put in."""
        return MESSAGES[message][self._column].format(**values)


ENGLISH = Words("en")


def choose_words(language: str | None, environment: Mapping[str, str] = os.environ) -> Words:
    """The words of a language; where none is given, of the locale, else English.

    Raises:
        ValueError: for a language that there is not.
    """
    if language is None:
        names = ("LC_ALL", "LC_MESSAGES", "LANG")
        locale = next((environment[name] for name in names if environment.get(name)), "")
        language = "de" if locale.startswith("de") else "en"
    return Words(language)
