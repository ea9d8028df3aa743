"""The data for the scripts of a profile's page as one JSON: compressed and base64-encoded.

functions  [short name, full name, source] of the functions that are named by number
places     [function, source, inlined]
stacks     lists of places, the innermost first
and the data of each part by its name
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence

from mallard.advisor.view.html.profile.content import Content, Part


def packed(content: Content, parts: Sequence[Part]) -> str:
    profile, names = content.profile, content.names
    payload = {
        "functions": [
            [content.short(number), content.full(number), content.source(number)]
            for number in range(len(profile.functions))
        ],
        "places": [
            [place.function, content.cut(names.place_source(number)), int(place.inlined)]
            for number, place in enumerate(profile.places)
        ],
        "stacks": profile.stacks,
        **{key: value for part in parts for key, value in part.data.items()},
    }
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 7)).decode()
