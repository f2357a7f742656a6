"""Foundation: what people read, in English and German, in the words of Jass players."""

import os
from collections.abc import Mapping

LANGUAGES = ("en", "de")

CARDS: dict[str, dict[str, tuple[tuple[str, str], tuple[str, str]]]] = {
    "french": {
        "C": (("♣", "clubs"), ("♣", "Kreuz")),
        "D": (("♦", "diamonds"), ("♦", "Ecken")),
        "H": (("♥", "hearts"), ("♥", "Herz")),
        "S": (("♠", "spades"), ("♠", "Schaufel")),
    },
    "german": {
        "C": (("Ac", "acorns"), ("Ei", "Eicheln")),
        "D": (("Be", "bells"), ("Se", "Schellen")),
        "H": (("Ro", "roses"), ("Ro", "Rosen")),
        "S": (("Sh", "shields"), ("Si", "Schilten")),
    },
}
"""Cards → suit → its mark and its name in English, in German. Swiss-German suits have no characters
of their own that terminals show alike: letters stand for them."""

RANK_NAMES = {"french": {}, "german": {"10": "B", "J": "U", "Q": "O"}}
"""Cards → ranks that they call otherwise: Banner, Under, Ober."""

MESSAGES: dict[str, tuple[str, str]] = {
    # The table
    "Seat": ("Seat {seat}", "Platz {seat}"),
    "seat": ("seat {seat}", "Platz {seat}"),
    "you": ("you", "du"),
    "dealer": ("dealer", "Geber"),
    "player": ("player", "Spieler"),
    "bid": ("bid", "Ansage"),
    "points": ("points", "Punkte"),
    "penalty": ("penalty", "Differenz"),
    "total": ("total", "Total"),
    "trump": ("trump", "Trumpf"),
    "hand": ("hand", "Blatt"),
    "turned_up": ("turned up {card}", "aufgedeckt {card}"),
    "deal_of": ("deal {deal} of {deals}", "Spiel {deal} von {deals}"),
    "trick_of": ("trick {trick} of {tricks}", "Stich {trick} von {tricks}"),
    "bidding": ("bidding", "Ansagen"),
    "match over": ("match over", "Partie zu Ende"),
    "points_to_seat": ("{points} to seat {seat}", "{points} an Platz {seat}"),
    "has bid": ("has bid", "angesagt"),
    "to_go": (
        "bid {bid}, points {points}: {left} to go",
        "Ansage {bid}, Punkte {points}: noch {left}",
    ),
    "too_many": (
        "bid {bid}, points {points}: {left} too many",
        "Ansage {bid}, Punkte {points}: {left} zu viel",
    ),
    "exact": ("bid {bid}, points {points}: exact", "Ansage {bid}, Punkte {points}: genau"),
    "no_trick": ("No card lies on the table.", "Noch liegt keine Karte auf dem Tisch."),
    "trick_order": ("The trick, in the order played:", "Der Stich, in der Reihenfolge gespielt:"),
    "takes": ("{who} takes the trick: {points} points.", "{who} macht den Stich: {points} Punkte."),
    "you_take": ("You take the trick: {points} points.", "Du machst den Stich: {points} Punkte."),
    "last_trick": (
        "Last trick: {cards}, led by {leader}, {points} to {winner}",
        "Letzter Stich: {cards}; ausgespielt: {leader}; {points} Punkte: {winner}",
    ),
    "your_hand": ("Your hand", "Dein Blatt"),
    # Deals and matches that are over
    "settled": ("Deal {deal} of {deals} is settled", "Spiel {deal} von {deals} ist abgerechnet"),
    "hands_dealt": ("The hands as dealt:", "Die Blätter, wie sie verteilt waren:"),
    "standings": ("Standings", "Rangliste"),
    "standings_after": (
        "Standings after deal {deal} of {deals}",
        "Stand nach Spiel {deal} von {deals}",
    ),
    "no_standings": ("No deal is settled yet.", "Noch ist kein Spiel abgerechnet."),
    "tricks_so_far": ("The tricks of this deal", "Die Stiche dieses Spiels"),
    "no_tricks": ("No trick is complete yet.", "Noch ist kein Stich vollständig."),
    "led_by": ("led by {leader}", "ausgespielt: {leader}"),
    "points_to": ("{points} to {winner}", "{points} Punkte: {winner}"),
    "and": ("and", "und"),
    "you_win": ("You win the match.", "Du gewinnst die Partie."),
    "wins": ("{who} wins the match.", "{who} gewinnt die Partie."),
    "you_share": ("You and {who} share the win.", "Du und {who}, ihr teilt euch den Sieg."),
    "share": ("{who} share the win.", "{who} teilen sich den Sieg."),
    "exact_bonus": ("{bonus} for an exact bid", "{bonus} für genaue Ansage"),
    "no_bonus": ("no bonus on zero", "auf null kein Bonus"),
    "a_revoke": ("{number} × {cost} for a revoke", "{number} × {cost} für Verleugnen"),
    "revokes": ("{number} × {cost} for revokes", "{number} × {cost} für Verleugnen"),
    "stoeck": ("Stöck", "Stöck"),
    # What to do
    "ask_bid": (
        "Your bid, 0 to {most}, then Enter: {typed}",
        "Deine Ansage, 0 bis {most}, dann Enter: {typed}",
    ),
    "bid_range": (
        "A bid is a number from 0 to {most}.",
        "Eine Ansage ist eine Zahl von 0 bis {most}.",
    ),
    "ask_card": (
        "Your turn: choose with ← → or a number, Enter plays.",
        "Du bist dran: mit ← → oder Zahl wählen, Enter spielt.",
    ),
    "not_lawful": (
        "{card} may not be played now: {why}",
        "{card} darf jetzt nicht gespielt werden: {why}",
    ),
    "lawful_are": ("lawful are {cards}.", "erlaubt sind {cards}."),
    "revoke_warning": (
        "{card} would be a revoke: {cost} points. Enter again plays it.",
        "{card} wäre verleugnet: {cost} Punkte. Nochmals Enter spielt sie.",
    ),
    "thinking": ("{who} is thinking …", "{who} überlegt …"),
    "go_on": ("Press Enter to continue.", "Weiter mit Enter."),
    "next_deal": ("Enter: the next deal.", "Enter: das nächste Spiel."),
    "leave": ("Enter: leave the table.", "Enter: vom Tisch aufstehen."),
    "any_key": ("Press any key to go back to the table.", "Jede Taste führt zurück an den Tisch."),
    "keys_play": (
        "←→ choose  Enter play  h help  t tricks  m match  ? keys  q save and leave",
        "←→ wählen  Enter spielen  h Hilfe  t Stiche  m Partie  ? Tasten  q Ende",
    ),
    "keys_watch": (
        "→ on  ← back  ↑↓ trick  PgUp PgDn deal  p run  o hands  a analysis  ? keys  q",
        "→ vor  ← zurück  ↑↓ Stich  PgUp PgDn Spiel  p läuft  o Blätter  a Analyse  ?  q",
    ),
    "keys_title": ("Keys", "Tasten"),
    "key_choose": ("← → Tab     choose a card", "← → Tab     Karte wählen"),
    "key_number": (
        "1 … 9       choose the card of that number",
        "1 … 9       Karte mit dieser Nummer wählen",
    ),
    "key_play": (
        "Enter       play the card, give the bid, go on",
        "Enter       Karte spielen, ansagen, weiter",
    ),
    "key_digits": (
        "0 … 9       type a bid; Backspace takes one digit back",
        "0 … 9       Ansage tippen; Rücktaste nimmt eine Ziffer weg",
    ),
    "key_help": (
        "h           help on and off: what {agent} would do, and the expected cost",
        "h           Hilfe an und aus: was {agent} täte, und was es kostet",
    ),
    "key_tricks": ("t           the tricks of this deal", "t           die Stiche dieses Spiels"),
    "key_match": ("m           the deals settled so far", "m           die abgerechneten Spiele"),
    "key_leave": (
        "q, Ctrl-C   leave; the match is saved after every card",
        "q, Ctrl-C   aufhören; nach jeder Karte ist gesichert",
    ),
    "key_marks": (
        "Numbers and full frames mark the cards that may be played. A card laid stays.",
        "Nummern und volle Rahmen zeigen, was gespielt werden darf. Gespielt ist gespielt.",
    ),
    "key_step": ("→ Space     the next card or bid", "→ Leertaste die nächste Karte oder Ansage"),
    "key_back": ("←           back by one", "←           eins zurück"),
    "key_trick": (
        "↓ ↑         to the next trick, to the one before",
        "↓ ↑         zum nächsten Stich, zum vorigen",
    ),
    "key_deal": (
        "PgDn PgUp   to the next deal, to the one before",
        "PgDn PgUp   zum nächsten Spiel, zum vorigen",
    ),
    "key_ends": (
        "Home End    to the first position, to the last",
        "Pos1 Ende   zur ersten Stellung, zur letzten",
    ),
    "key_run": ("p           play by itself, and stop", "p           von selbst weiter, und halt"),
    "key_open": (
        "o           hidden cards shown or not",
        "o           verdeckte Karten zeigen oder nicht",
    ),
    "key_analysis": (
        "a           analysis on and off: what {agent} would do",
        "a           Analyse an und aus: was {agent} täte",
    ),
    "key_quit": ("q, Ctrl-C   leave", "q, Ctrl-C   aufhören"),
    "too_small": (
        "The terminal is {width} × {height}; the table needs {needed_width} × {needed_height}. "
        "Make it larger: the match waits. Or leave with q: it is saved, and --plain needs no size.",
        "Das Fenster ist {width} × {height}; der Tisch braucht {needed_width} × {needed_height}. "
        "Mach es grösser: die Partie wartet. Oder q: sie ist gesichert, und --plain geht immer.",
    ),
    # Help and analysis
    "advice_bid": ("{agent} would bid {bid}.", "{agent} würde {bid} ansagen."),
    "advice_card": ("{agent} would play {card}.", "{agent} würde {card} spielen."),
    "advice_costs": ("Expected cost: {costs}", "Erwartete Differenz: {costs}"),
    "advice_below": ("Below the cards: expected cost.", "Unter den Karten: was sie wohl kostet."),
    "advice_waits": ("{agent} is asked for help …", "{agent} wird um Hilfe gefragt …"),
    "analysis": ("Analysis by {agent}", "Analyse von {agent}"),
    "analysis_waits": ("working it out …", "wird berechnet …"),
    "no_choice": ("There was no choice.", "Es gab keine Wahl."),
    "analysis_better": ("better: {best}", "besser: {best}"),
    "analysis_gave": ("costs {cost} points more", "kostet {cost} Punkte mehr"),
    "analysis_best": ("the best there was", "das Beste, was es gab"),
    "expected_cost": ("expected cost", "erwartete Differenz"),
    # Watching
    "dealt": ("The cards are dealt.", "Die Karten sind verteilt."),
    "bids_done": ("{who} has bid.", "{who} hat angesagt."),
    "bids_open": ("{who} bids {bid}.", "{who} sagt {bid} an."),
    "plays": ("{who} plays {card}.", "{who} spielt {card}."),
    "you_have_bid": ("You have bid.", "Du hast angesagt."),
    "you_bid": ("You bid {bid}.", "Du sagst {bid} an."),
    "you_play": ("You play {card}.", "Du spielst {card}."),
    "running": ("running", "läuft"),
    "position": ("{at} of {count}", "{at} von {count}"),
    # Line by line
    "intro": (
        "You sit in seat {seat}, seed {seed}; {help}.",
        "Du sitzt auf Platz {seat}, Startzahl {seed}; {help}.",
    ),
    "typing": (
        "a bid is a number; a card is suit and rank, such as d10, cj, ha (♦10, ♣J, ♥A); "
        "h advises, ? says this again, q stops",
        "eine Ansage ist eine Zahl, eine Karte Farbe und Rang, etwa d10, cj, ha (♦10, ♣J, ♥A; "
        "c Kreuz, d Ecken, h Herz, s Schaufel); h gibt Rat, ? sagt das nochmals, q hört auf",
    ),
    "typing_german": (
        "a bid is a number; a card is suit and rank, such as beb, acu, roa (banner of bells, under "
        "of acorns, ace of roses; sh shields); h advises, ? says this again, q stops",
        "eine Ansage ist eine Zahl, eine Karte Farbe und Rang, etwa seb, eiu, roa ("
        "Schellen-Banner, Eichel-Under, Rosen-Ass; si Schilten); h gibt Rat, ? sagt das nochmals, "
        "q hört auf",
    ),
    "not_understood": (
        "{typed!r} is not understood: {help}",
        "{typed!r} ist nicht verständlich: {help}",
    ),
    "prompt_bid": ("your bid: ", "deine Ansage: "),
    "prompt_card": ("your card: ", "deine Karte: "),
    "plain_trick": (
        "{cards}, led by {leader}: {points} points to {winner}",
        "{cards}; ausgespielt: {leader}; {points} Punkte: {winner}",
    ),
    "plain_last": (", the last trick", ", der letzte Stich"),
    "stopped": ("Stopped.", "Aufgehört."),
    "saved": (
        "The match is saved; go on with: differenzler play --resume {file}",
        "Die Partie ist gesichert; weiter mit: differenzler play --resume {file}",
    ),
    "recorded": ("The record of the match: {file}", "Die Aufzeichnung der Partie: {file}"),
    # A record told trick by trick
    "told_match": ("Match of line {line}", "Partie der Zeile {line}"),
    "told_deal": (
        "Deal {deal} of {deals}. Seat {dealer} deals. {trump}.",
        "Spiel {deal} von {deals}. Platz {dealer} gibt. {trump}.",
    ),
    "told_trump": ("{name} {mark} are trump", "Trumpf ist {name} {mark}"),
    "told_turned_up": (
        ": {card} is turned up and stays in the dealer's hand",
        ": {card} ist aufgedeckt und bleibt beim Geber",
    ),
    "told_leads": ("seat {seat} leads", "Platz {seat} spielt aus"),
    "told_takes": (
        "seat {seat} takes {points:>2}  points {sums}",
        "Platz {seat} nimmt {points:>2}  Punkte {sums}",
    ),
    "told_last": (", 5 of them for the last trick", ", davon 5 für den letzten Stich"),
    "told_unsettled": ("The deal is not settled.", "Das Spiel ist nicht abgerechnet."),
    "told_to_bid": ("seat {seat} is still to bid", "Platz {seat} muss noch ansagen"),
    "told_hidden": (
        "Bids, hidden till the deal is settled: {bids}.",
        "Ansagen, verdeckt bis zur Abrechnung: {bids}.",
    ),
    "told_heard": ("Bids, each heard by all: {bids}.", "Ansagen, jede für alle hörbar: {bids}."),
    "told_revoke": (
        "seat {seat} revokes with {card}; lawful: {cards}",
        "Platz {seat} verleugnet mit {card}; erlaubt: {cards}",
    ),
    "told_puur": (
        "seat {seat} need not play the Puur, its only trump",
        "Platz {seat} muss den Puur nicht spielen, seinen einzigen Trumpf",
    ),
    "told_under": (
        "seat {seat} under-trumps with {card}",
        "Platz {seat} untertrumpft mit {card}",
    ),
    "told_not_under": (
        "seat {seat} may not under-trump with {cards}",
        "Platz {seat} darf nicht untertrumpfen mit {cards}",
    ),
    "told_settled": (
        "Settled:  bid  points  penalty",
        "Ende:    Ansage  Punkte  Differenz",
    ),
    "told_in_all": ("in all", "Summe  "),
    "told_penalties": ("Penalties so far: {sums}", "Differenzen bisher: {sums}"),
    "told_goes_on": ("The match goes on.", "Die Partie geht weiter."),
    "told_wins": (
        "Seat {seat} wins the match with {penalty}.",
        "Platz {seat} gewinnt die Partie mit {penalty}.",
    ),
    "told_share": (
        "Seats {seats} share the match with {penalty}.",
        "Die Plätze {seats} teilen sich die Partie mit {penalty}.",
    ),
    "told_go_on": ("Press Enter to continue, q to stop: ", "Weiter mit Enter, q hört auf: "),
    # Texts of a table
    "text_heading": (
        "Deal {deal} of {deals}   trump {trump}{turned_up}   trick {trick} of {tricks}",
        "Spiel {deal} von {deals}   Trumpf {trump}{turned_up}   Stich {trick} von {tricks}",
    ),
    "text_turned_up": (" (turned up {card})", " (aufgedeckt {card})"),
    "text_on_table": ("on the table", "auf dem Tisch"),
    "text_dealer": (" (dealer)", " (Geber)"),
    "text_last": (
        "last trick: {cards}, led by seat {leader}, {points} points to seat {winner}",
        "letzter Stich: {cards}, ausgespielt von Platz {leader}, {points} Punkte an Platz {winner}",
    ),
    "text_hand": ("hand: {cards}", "Blatt: {cards}"),
    "text_hand_of": ("hand of seat {seat}: {cards}", "Blatt von Platz {seat}: {cards}"),
    "text_lawful": ("lawful: {cards}", "erlaubt: {cards}"),
    "text_over": ("the match is over", "die Partie ist zu Ende"),
}
"""Message → English, German. Braces name values."""


class Words:
    """The messages of one language.

    Args:
        language: ``"en"`` or ``"de"``.
        cards: ``"french"`` or ``"german"``: how cards look and what they are called.

    Raises:
        ValueError: for another language, or other cards.
    """

    def __init__(self, language: str = "en", cards: str = "french") -> None:
        if language not in LANGUAGES:
            raise ValueError(f"language is {language!r}; allowed: {', '.join(LANGUAGES)}")
        if cards not in CARDS:
            raise ValueError(f"cards are {cards!r}; allowed: {', '.join(CARDS)}")
        self.language, self.cards = language, cards
        self._column = LANGUAGES.index(language)

    def __call__(self, message: str, **values: object) -> str:
        """A message with its values put in."""
        return MESSAGES[message][self._column].format(**values)

    def mark(self, suit: str) -> str:
        """A suit in one or two characters: ``"♦"``, ``"Se"``."""
        return CARDS[self.cards][suit][self._column][0]

    def suit(self, suit: str) -> str:
        """The name of a suit: ``"diamonds"``, ``"Schellen"``."""
        return CARDS[self.cards][suit][self._column][1]

    def rank(self, rank: str) -> str:
        """A rank as these cards call it: ``"J"``, ``"U"``."""
        return RANK_NAMES[self.cards].get(rank, rank)

    def card(self, name: str) -> str:
        """A card in up to three characters: ``"D10"`` becomes ``"♦10"`` or ``"SeB"``."""
        return self.mark(name[0]) + self.rank(name[1:])

    def joined(self, names: list[str]) -> str:
        """Names as a list in words: ``"a, b and c"``."""
        *first, last = names
        return f"{', '.join(first)} {self('and')} {last}" if first else last


ENGLISH = Words("en")


def choose_words(
    language: str | None,
    environment: Mapping[str, str] = os.environ,
    cards: str = "french",
) -> Words:
    """The words of a language; where none is given, of the locale, else English.

    Raises:
        ValueError: for an unknown language, or unknown cards.
    """
    if language is None:
        names = ("LC_ALL", "LC_MESSAGES", "LANG")
        locale = next((environment[name] for name in names if environment.get(name)), "")
        language = "de" if locale.startswith("de") else "en"
    return Words(language, cards)
