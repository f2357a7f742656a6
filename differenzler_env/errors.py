"""Foundation: the errors that users meet. All are ``ValueError``s; a refused call changes
nothing."""


class IllegalActionError(ValueError):
    """An action that is not an action, lies outside the action space, or is not legal now."""


class GameOverError(ValueError):
    """An action was given after the last deal of the match had been settled."""


class RecordError(ValueError):
    """A game record or position text that is malformed or contradicts the rules."""


class SpecError(ValueError):
    """A spec that cannot be read, or an agent or field of agents that cannot be loaded; the message
    is one line."""
