"""What several tests of the evaluation share."""

from __future__ import annotations

import json


def numbers(evaluation):
    """The JSON without what time decides."""
    document = json.loads(json.dumps(evaluation.to_json(), allow_nan=False))
    assert document.pop("decisions_per_second") > 0
    return document
