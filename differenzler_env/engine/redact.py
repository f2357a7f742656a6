"""Engine: what a seat may know. The one place where a STATE record becomes a VIEW record."""

from .jit import Integer, Record, inlined
from .play import lawful, lawful_bids, playable, played_cards
from .state import BID, NO_BID, PLAY


@inlined
def fill_view(state: Record, rules: Record, seat: Integer, view: Record) -> None:
    """Write what ``seat`` may know of one STATE record into one VIEW record.

    Everything here is the seat's own or lay openly on the table: no other hand, no hidden bid, no
    key of the generator, no count of revokes before the deal is settled.
    """
    view["deal"] = state["deal"]
    view["hand"] = state["hands"][seat]
    view["seat"] = seat
    view["trump"] = state["trump"]
    view["turned_up"] = state["turned_up"]
    view["dealer"] = state["dealer"]
    view["phase"] = state["phase"]
    view["current_seat"] = state["current_seat"]
    view["num_bids"] = state["num_bids"]
    view["num_played"] = state["num_played"]
    view["best_card"] = state["best_card"]
    view["best_seat"] = state["best_seat"]
    to_play = state["phase"] == PLAY and state["current_seat"] == seat
    legal = playable(state, rules) if to_play else 0
    view["legal"] = legal
    view["lawful"] = lawful(state, rules) if to_play and rules["revoke_penalty"] > 0 else legal
    # After the last deal of a match all its bids are public.
    bids_open = rules["open_bidding"] != 0 or state["phase"] > PLAY
    for other in range(5):
        bid = state["bids"][other]
        view["bids"][other] = bid if bids_open or other == seat else NO_BID
        view["has_bid"][other] = bid != NO_BID
    view["points"] = state["points"]
    view["penalties"] = state["penalties"]
    view["excluded"] = state["excluded"]
    view["order"] = state["order"]
    view["leaders"] = state["leaders"]


@inlined
def view_choices(view: Record, rules: Record) -> tuple[Integer, Integer]:
    """What the view's seat may choose from, as :func:`.play.choices`; nothing unless it is to
    act."""
    to_bid = view["phase"] == BID and view["current_seat"] == view["seat"]
    return lawful_bids(view, rules) if to_bid else 0, view["legal"]


@inlined
def unseen_cards(view: Record, rules: Record) -> Integer:
    """The set of cards that the view's seat has not seen: neither its own nor played."""
    return rules["deck"] & ~view["hand"] & ~played_cards(view)
