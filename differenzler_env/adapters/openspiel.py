"""Adapters: the game as OpenSpiel sees it, registered as ``python_differenzler``. Needs the extra
``openspiel``.

    import pyspiel
    import differenzler_env.adapters.openspiel
    game = pyspiel.load_game("python_differenzler(rules=table,players=5)")

or, from :class:`~differenzler_env.rules.Rules`, ``openspiel.load_game(Rules.table(players=5))``.

| OpenSpiel's | here |
|---|---|
| chance | explicit: the first dealer where it is drawn; for each card of the deck, in order, the |
| | seat that is dealt it; then the trump suit, or which card of the dealer's is turned up |
| actions | the 194 of the other environments: 0…157 bid, 158…193 play card ``action − 158`` |
| bids | asked in turn from forehand; in no other seat's information state unless all are open |
| returns | rewards as in the other environments, added up: minus penalties, or 1/k to k winners |
| information state | perfect recall: what a ``PlayerView`` knows, settled deals included |
| observation | the same without settled deals; its tensor is the package's observation vector |

The deck is dealt card by card to seats, not seat by seat, because the order in which a hand comes
together tells nothing: the eight cards of ``Rules.mini()`` are dealt in 70 ways and not in 40,320.
Hands are looked at when all cards are dealt: before that, tensors are zero.
"""

from typing import Any

from ..actions import NUM_ACTIONS, action_name
from ..cards import NUM_CARDS, SUITS, card_index, card_name
from ..checks import one_of
from ..deals import check_deal
from ..engine.state import OBJECTIVES
from ..game import Game
from ..rule_text import get_rules, parse_rules
from ..rules import Rules
from ..view import PlayerView
from .openspiel_observer import Observer
from .openspiel_observer import pyspiel as pyspiel

NAME = "python_differenzler"

UNSET = -2
PARAMETERS: dict[str, Any] = {
    "rules": "swisslos",
    "objective": "penalty",
    "players": 0,
    "deck": "",  # card texts with blanks between
    "bidding": "",
    "trump": "",
    "undertrump": "",
    "deals": 0,
    "first_dealer": UNSET,  # a seat, or −1: drawn
    "exact_bonus": 0,
    "exact_bonus_on_zero": True,
    "stoeck": 0,
    "revoke_penalty": 0,  # 0: unlawful cards cannot be played
}
"""The parameters and their defaults; a setting left at its default is as the rule set has it."""


def _game_type(general_sum: bool = True, one_payment: bool = False) -> Any:
    return pyspiel.GameType(
        short_name=NAME,
        long_name="Differenzler (exact-bid trick-taking card game)",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.GENERAL_SUM
        if general_sum
        else pyspiel.GameType.Utility.CONSTANT_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL
        if one_payment
        else pyspiel.GameType.RewardModel.REWARDS,
        max_num_players=5,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification=PARAMETERS,
    )


def game_parameters(rules: Rules | str | None = None, objective: str = "penalty") -> dict[str, Any]:
    """The parameters that load the game of these rules."""
    parameters: dict[str, Any] = {
        "rules": "swisslos",
        "objective": one_of("objective", objective, OBJECTIVES),
    }
    for name, value in get_rules(rules).differing().items():
        if name == "deck":
            value = " ".join(value)
        elif value == "random":  # the first dealer
            value = -1
        parameters[name] = value
    return parameters


def load_game(rules: Rules | str | None = None, objective: str = "penalty") -> Any:
    """The ``pyspiel.Game`` of some rules: a :class:`Rules`, a text such as
    ``"table?players=5"``, or None.

    Raises:
        ValueError: for an unknown name or objective.
    """
    return pyspiel.load_game(NAME, game_parameters(rules, objective))


def _rules_of(parameters: dict[str, Any]) -> Rules:
    settings = {
        setting: value
        for setting, value in parameters.items()
        if setting not in ("rules", "objective") and value != PARAMETERS[setting]
    }
    if "deck" in settings:
        settings["deck"] = tuple(settings["deck"].split())
    if settings.get("first_dealer") == -1:
        settings["first_dealer"] = "random"
    return parse_rules(parameters["rules"], **settings)


class DifferenzlerGame(pyspiel.Game):
    """A match under one set of rules.

    Attributes:
        rules: the rules.
        objective: ``"penalty"`` or ``"win"``.

    Raises:
        ValueError: for parameters that are not rules; it names the setting and what is allowed.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = dict(params or {})
        parameters = PARAMETERS | given
        self.rules = rules = _rules_of(parameters)
        self.objective = one_of("objective", parameters["objective"], OBJECTIVES)
        wins = self.objective == "win"
        self.chance_nodes_a_deal = len(rules.deck) + 1
        self.moves_a_deal = len(rules.deck) + rules.players
        super().__init__(
            _game_type(general_sum=not wins, one_payment=wins or rules.deals == 1),
            pyspiel.GameInfo(
                num_distinct_actions=NUM_ACTIONS,
                max_chance_outcomes=NUM_CARDS if rules.trump == "turned_up" else 5,
                num_players=rules.players,
                min_utility=0.0 if wins else -float(rules.deals * rules.worst_penalty),
                max_utility=1.0 if wins else float(rules.deals * rules.exact_bonus),
                utility_sum=1.0 if wins else None,
                max_game_length=rules.deals * self.moves_a_deal,
            ),
            given,
        )

    def new_initial_state(self) -> "DifferenzlerState":
        """A match before its first deal."""
        return DifferenzlerState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Chance nodes of a whole match."""
        return self.first_deal_at() + self.rules.deals * self.chance_nodes_a_deal

    def first_deal_at(self) -> int:
        """Where the first deal begins in a history: after the drawing of the dealer, if it is."""
        return int(self.rules.first_dealer == "random")

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "Observer":
        """What writes observations of one kind; see OpenSpiel's ``observation.py``."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return Observer(self.rules, kind, params)


class DifferenzlerState(pyspiel.State):
    """A state of the match. Chance deals; the rest is a :class:`~differenzler_env.game.Game`.

    Attributes:
        match: the game behind it, None before the first deal; hidden cards and all.
    """

    # Clones are deep copies of these attributes, so they are few and copy themselves.

    def __init__(self, game: DifferenzlerGame) -> None:
        super().__init__(game)
        first = game.rules.first_dealer
        self.match: Game | None = None
        self._dealer = first if isinstance(first, int) else -1
        self._given: list[int] | None = []  # seats of the cards dealt so far; None once all are
        self._rewards = [0.0] * game.rules.players
        self._owed = list(self._rewards)
        self._returns = list(self._rewards)

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.get_game().rules if self.match is None else self.match.rules

    def view(self, seat: int) -> PlayerView | None:
        """What a seat may know, None while the cards are being dealt."""
        return None if self.match is None or self._given is not None else self.match.view(seat)

    # OpenSpiel's own methods ---------------------------------------------------------------

    def current_player(self) -> int:
        """The seat to act, chance, or terminal."""
        if self._given is not None or self.match is None:
            return int(pyspiel.PlayerId.CHANCE)
        seat = self.match.current_seat
        return int(pyspiel.PlayerId.TERMINAL) if seat is None else seat

    def is_terminal(self) -> bool:
        """Whether the match is over."""
        return self._given is None and self.match is not None and self.match.is_over

    def _legal_actions(self, player: int) -> list[int]:
        assert self.match is not None
        return self.match.legal_actions() if player == self.match.current_seat else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of the chance node at hand and their probabilities."""
        assert self._given is not None
        rules, given = self.rules, self._given
        if self._dealer < 0:
            return [(seat, 1 / rules.players) for seat in range(rules.players)]
        left = len(rules.deck) - len(given)
        if left:
            room = [rules.tricks - given.count(seat) for seat in range(rules.players)]
            return [(seat, cards / left) for seat, cards in enumerate(room) if cards]
        if rules.trump == "turned_up":
            trumps = [card_index(card) for card in self._dealt()[self._dealer]]
        else:
            trumps = [SUITS.index(suit) for suit in rules.trumps]
        return [(trump, 1 / len(trumps)) for trump in trumps]

    def _dealt(self) -> list[list[str]]:
        assert self._given is not None
        hands: list[list[str]] = [[] for _ in range(self.rules.players)]
        for card, seat in zip(self.rules.deck, self._given, strict=False):
            hands[seat].append(card)
        return hands

    def _apply_action(self, action: int) -> None:
        self._rewards = [0.0] * len(self._rewards)
        if self._given is None:
            self._play(action)
        elif self._dealer < 0:
            self._dealer = action
        elif len(self._given) < len(self.rules.deck):
            self._given.append(action)
        else:
            self._open_deal(action)

    def _play(self, action: int) -> None:
        assert self.match is not None
        settled = self.match.settled_deals
        self.match.play(action)
        self._owed = self.match.rewards
        if self.match.settled_deals > settled and not self.match.is_over:
            self._given, self._dealer = [], self.match.dealer
        else:
            self._pay()

    def _pay(self) -> None:
        # OpenSpiel's loops read rewards where a seat acts, not at chance nodes: a deal is paid when
        # the next one is dealt, so that each reward is told once, by whichever way they are read.
        self._rewards = self._owed
        pairs = zip(self._returns, self._rewards, strict=True)
        self._returns = [total + reward for total, reward in pairs]

    def _open_deal(self, chosen: int) -> None:
        up = card_name(chosen) if self.rules.trump == "turned_up" else None
        deal = check_deal(
            self.rules, self._dealt(), up[0] if up else SUITS[chosen], self._dealer, up
        )
        if self.match is None:
            # The seed is for deals of its own, all of which are replaced by those of chance.
            self.match = Game(self.rules, 0, self.get_game().objective)
        self.match._set_deal(deal)
        self._given = None
        self._pay()

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return action_name(action)
        # OpenSpiel asks for outcomes of the node at hand only.
        assert self._given is not None
        if self._dealer < 0:
            return f"seat {action} deals"
        if len(self._given) < len(self.rules.deck):
            return f"{self.rules.deck[len(self._given)]} to seat {action}"
        if self.rules.trump == "turned_up":
            return f"{card_name(action)} turned up"
        return f"trump {SUITS[action]}"

    def rewards(self) -> list[float]:
        """Each seat's reward for the step last taken."""
        return list(self._rewards)

    def returns(self) -> list[float]:
        """Each seat's rewards so far, added up."""
        return list(self._returns)

    def __str__(self) -> str:
        if self._given is None and self.match is not None:
            return self.match.notation()
        hands = " / ".join(" ".join(hand) or "-" for hand in self._dealt())
        settled = 0 if self.match is None else self.match.settled_deals
        return f"dealing, deal {settled + 1}: {hands}"


pyspiel.register_game(_game_type(), DifferenzlerGame)
