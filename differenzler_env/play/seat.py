"""Play: a person's seat at the table: what keys do and which page is shown. No terminal in here.

Pages are made from the seat's own view. The app hands over keys, asks the agents, and shows pages.
"""

from rich.text import Text

from ..actions import NUM_BIDS, card_action
from ..cards import card_index, card_name
from ..view import PlayerView
from ..words import Words
from . import pages
from .advice import Advice, Adviser, action_text
from .scene import HandCard, seat_names, seat_scene, short_name
from .screen import WARNING, table_page
from .sitting import Sitting
from .steps import SETTLED, TRICK, Step

GO_ON = ("enter", "space")


class Seat:
    """A person at the table.

    Args:
        sitting: the match, with a person in one seat.
        words: the language.
        adviser: who is asked for help; help is off until it is asked for.
    """

    def __init__(self, sitting: Sitting, words: Words, adviser: Adviser) -> None:
        assert sitting.seat is not None
        self.sitting, self.words, self.adviser = sitting, words, adviser
        self.seat: int = sitting.seat
        self.names = seat_names(sitting.specs, self.seat, words)
        self.pause: str | None = "over" if sitting.game.is_over else None
        """What lies on the table until Enter: ``"trick"``, ``"settled"``, ``"over"``."""
        self.leaving = False
        self._help = False
        self._advice: Advice | None = None
        self._typed = ""
        self._warning = ""
        self._chosen: int | None = None
        self._other_page: str | None = None
        self._choose_first()

    # What the app asks ---------------------------------------------------------------------

    @property
    def view(self) -> PlayerView:
        """What the person may know."""
        return self.sitting.game.view(self.seat)

    @property
    def is_turn(self) -> bool:
        """Whether the person is to act."""
        return self.pause is None and self.sitting.game.current_seat == self.seat

    @property
    def waits_for_agent(self) -> bool:
        """Whether an agent is to act."""
        game = self.sitting.game
        return self.pause is None and not game.is_over and game.current_seat != self.seat

    @property
    def wants_advice(self) -> bool:
        """Whether help is on and not yet worked out."""
        return self._help and self.is_turn and self._advice is None

    def advised(self, view: PlayerView, advice: Advice) -> None:
        """Take advice for a view, unless the match has gone on since."""
        if self.is_turn and view.record.tobytes() == self.view.record.tobytes():
            self._advice = advice

    def played(self, step: Step) -> None:
        """Look at what somebody has done."""
        self.pause = {TRICK: "trick", SETTLED: "settled"}.get(step.kind)
        self._typed = self._warning = ""
        self._advice = None
        self._choose_first()

    # Keys ----------------------------------------------------------------------------------

    def press(self, key: str) -> None:
        """Do what a key says; keys that mean nothing now do nothing."""
        if key in ("q", "ctrl+c", "ctrl+q"):
            self.leaving = True
        elif self._other_page is not None:
            self._other_page = None
        elif key in ("question_mark", "f1"):
            self._other_page = "keys"
        elif key in ("t", "m"):
            self._other_page = {"t": "tricks", "m": "match"}[key]
        elif key == "h":
            self._help = not self._help
        elif self.pause is not None:
            if key in GO_ON:
                self._go_on()
        elif self.is_turn and self.sitting.game.phase == "bid":
            self._press_bid(key)
        elif self.is_turn:
            self._press_card(key)

    def _go_on(self) -> None:
        if self.pause == "over":
            self.leaving = True
        elif self.pause == "settled" and self.sitting.game.is_over:
            self.pause = "over"
        else:
            self.pause = None
            self._choose_first()

    def _press_bid(self, key: str) -> None:
        self._warning = ""
        if key.isascii() and key.isdigit():
            self._typed = (self._typed + key)[:3]
        elif key == "backspace":
            self._typed = self._typed[:-1]
        elif key == "enter" and self._typed:
            if int(self._typed) <= self._most:
                self.played(self.sitting.play(int(self._typed)))
            else:
                self._warning = self.words("bid_range", most=self._most)
                self._typed = ""

    @property
    def _most(self) -> int:
        """The highest bid, where one is to be given."""
        return self.view.legal_actions()[-1]

    def _press_card(self, key: str) -> None:
        hand = self._hand()
        lawful = [place for place, each in enumerate(hand) if self._playable(each)]
        before = self._chosen
        if key.isascii() and key.isdigit() and 0 < int(key) <= len(hand):
            self._chosen = int(key) - 1
        elif key in ("right", "tab"):
            self._chosen = next((at for at in lawful if at > (before or 0)), lawful[0])
        elif key in ("left", "shift+tab"):
            self._chosen = next((at for at in lawful[::-1] if at < (before or 0)), lawful[-1])
        elif key == "enter" and before is not None:
            self._play_chosen(hand[before])
            return
        else:
            return
        self._warning = ""

    def _play_chosen(self, chosen: HandCard) -> None:
        revoke = self.sitting.game.rules.revoke_penalty
        card = self.words.card(chosen.card)
        if not self._playable(chosen):
            lawful = " ".join(self.words.card(each.card) for each in self._hand() if each.lawful)
            why = self.words("lawful_are", cards=lawful)
            self._warning = self.words("not_lawful", card=card, why=why)
        elif not chosen.lawful and not self._warning:
            self._warning = self.words("revoke_warning", card=card, cost=revoke)
        else:
            self.played(self.sitting.play(card_action(card_index(chosen.card))))

    def _hand(self) -> tuple[HandCard, ...]:
        return seat_scene(self.view, self.names, self.words).hand

    def _playable(self, each: HandCard) -> bool:
        """Whether the rules let a card be played, if only at a price."""
        return each.lawful or self.sitting.game.rules.revoke_penalty is not None

    def _choose_first(self) -> None:
        """The first lawful card, where a card is to be played."""
        to_play = self.is_turn and self.sitting.game.phase == "play"
        lawful = [place for place, each in enumerate(self._hand()) if each.lawful]
        self._chosen = lawful[0] if to_play and lawful else None

    # Pages ---------------------------------------------------------------------------------

    def page(self) -> Text:
        """The screen now, 80 × 24."""
        view, names, words = self.view, self.names, self.words
        if self._other_page == "keys":
            note = words("key_marks")
            return pages.keys_page(pages.PLAY_KEYS, self.adviser.name, words, note)
        if self._other_page == "tricks":
            return pages.tricks_page(view, names, words)
        if self._other_page == "match":
            return pages.match_page(view, names, words)
        if self.pause == "over":
            return pages.result_page(view, names, words, words("leave"))
        if self.pause == "settled":
            on = words("go_on" if view.phase == "over" else "next_deal")
            return pages.settled_page(view.rules, view.finished_deals, names, words, on)
        scene = seat_scene(view, names, words, trick_over=self.pause == "trick")
        costs, best = self._card_advice()
        keys = words("keys_play")
        message, notes = self._message(view), self._bid_costs(view)
        return table_page(scene, words, message, keys, self._chosen, costs, best, notes)

    def _card_advice(self) -> tuple[dict[str, float], str | None]:
        if self._advice is None or not self._help:
            return {}, None
        costs = {
            _card(action): cost for action, cost in self._advice.costs.items() if action >= NUM_BIDS
        }
        best = self._advice.action
        return costs, _card(best) if best >= NUM_BIDS else None

    def _bid_costs(self, view: PlayerView) -> list[Text]:
        """Help with a bid: some bids and what each is expected to cost."""
        if self._advice is None or not self._help or view.phase != "bid":
            return []
        bids = sorted(self._advice.costs)
        rows = [
            (self.words("bid"), [str(bid) for bid in bids]),
            (self.words("expected_cost"), [f"{self._advice.costs[bid]:.1f}" for bid in bids]),
        ]
        width = max(len(label) for label, _ in rows)
        lines = [
            f" {label:<{width}}" + "".join(f"{each:>5}" for each in row) for label, row in rows
        ]
        return [Text(), *map(Text, lines)]

    def _message(self, view: PlayerView) -> Text | str:
        """What to do now; with help on, what it says."""
        words = self.words
        if self._warning:
            return Text(f" {self._warning}", WARNING)
        if self.pause == "trick":
            return words("go_on")
        if not self.is_turn:
            acting = view.current_seat
            return words("thinking", who=self.names[acting]) if acting is not None else ""
        parts = []
        if view.phase == "bid":
            parts.append(words("ask_bid", most=self._most, typed=f"{self._typed}▏"))
        if self._help:
            parts.append(self._help_text(view))
        return "  ".join(parts) or words("ask_card")

    def _help_text(self, view: PlayerView) -> str:
        words, advice, name = self.words, self._advice, short_name(self.adviser.name)
        if advice is None:
            return words("advice_waits", agent=name)
        if view.phase == "play":
            text = words("advice_card", agent=name, card=action_text(advice.action, words))
            return f"{text} {words('advice_below')}"
        return words("advice_bid", agent=name, bid=advice.action)


def _card(action: int) -> str:
    return card_name(action - NUM_BIDS)
