"""Foundation: rules as users give and read them: a name, or a text such as ``table?players=5``."""

import re
from dataclasses import fields
from typing import Any

from .checks import did_you_mean
from .rules import RULE_SETS, Rules
from .specs import split_spec

SETTINGS = tuple(setting.name for setting in fields(Rules))
OF_THE_MATCH = ("deals", "first_dealer")
"""Settings that say how long a match is, not how a deal is played."""
PLAIN = "swisslos"
OF_THE_NAME = ("deck", "bidding", "trump")
"""What the other rule sets are named for: where one of these is changed, the plain set is said."""
WORDS = {"true": True, "false": False, "none": None, "null": None}


def get_rules(rules: Rules | str | None) -> Rules:
    """Rules from what users give: ``None`` (the default), rules, or a text as in
    :func:`parse_rules`.

    Raises:
        ValueError: for anything else; it says what is allowed.
    """
    if rules is None:
        return Rules.swisslos()
    return rules if isinstance(rules, Rules) else parse_rules(rules)


def parse_rules(text: str, **overrides: Any) -> Rules:
    """Rules from ``name`` or ``name?setting=value&setting=value``, such as ``table?players=5``.

    Cards of a deck stand with ``+`` between them: ``mini?deck=D9+DJ+S9+SJ``.

    Args:
        text: a rule set by name, with settings that differ from it.
        overrides: settings that count before those of the text.

    Raises:
        ValueError: for an unknown rule set or setting, or an impossible value.
    """
    if not isinstance(text, str) or not text.strip():
        raise ValueError(_no_rule_set(text))
    name, options = split_spec(text)
    if name not in RULE_SETS:
        raise ValueError(_no_rule_set(name))
    settings = {setting: _value(setting, value) for setting, value in options.items()} | overrides
    for setting in settings:
        if setting not in SETTINGS:
            raise ValueError(
                f"there is no setting {setting!r}; settings are {', '.join(SETTINGS)}"
                f"{did_you_mean(setting, SETTINGS)}"
            )
    return RULE_SETS[name](**settings)


def _no_rule_set(name: object) -> str:
    hint = did_you_mean(str(name), RULE_SETS)
    return f"{name!r} is not a rule set; rule sets are {', '.join(RULE_SETS)}{hint}"


def _value(setting: str, text: str) -> Any:
    if setting == "deck":
        return text.replace("+", " ").replace(",", " ").split()
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    return int(text) if re.fullmatch("-?[0-9]{1,18}", text) else text


def rules_text(rules: Rules) -> str:
    """The shortest text that :func:`get_rules` reads as these rules; it says how long a match is
    only where that is not as usual."""
    texts = {PLAIN: _differing(PLAIN, rules)}
    for name in RULE_SETS:
        differing = _differing(name, rules)
        if not any(setting in OF_THE_NAME for setting in differing):
            texts[name] = differing

    def length(name: str) -> tuple[int, int]:
        return sum(setting in OF_THE_MATCH for setting in texts[name]), len(texts[name])

    name = min(texts, key=length)
    options = "&".join(f"{setting}={value}" for setting, value in texts[name].items())
    return f"{name}?{options}" if options else name


def game_text(rules: Rules) -> str:
    """A text for rules as far as a deal goes: ``deals`` and ``first_dealer`` don't count."""
    for name, make in RULE_SETS.items():
        if rules.same_game(make()):
            return name
    return rules_text(rules.replace(**dict.fromkeys(OF_THE_MATCH)))


def _differing(name: str, rules: Rules) -> dict[str, str]:
    """What to set in a rule set to have these rules, as texts by setting."""
    settings: dict[str, Any] = {}
    for setting in SETTINGS:  # defaults depend on settings before theirs only
        try:
            usual = getattr(RULE_SETS[name](**settings), setting)
        except ValueError:  # so many players need another deck
            usual = None
        value = getattr(rules, setting)
        if value != usual:
            settings[setting] = value
    return {
        setting: "+".join(value) if setting == "deck" else str(value).lower()
        for setting, value in settings.items()
    }
