"""Random JSON documents that try what parsers and writers get wrong."""

ALPHABETS = [
    "abcdefghijklmnopqrstuvwxyz", " \"\\/\b\f\n\r\t\x00\x1f\x7f", "äöüßéèñ€", "e\u0301\u0308\u200d", "日本語中文한국",
    "🙂👩‍👩‍👧🇩🇪", "\u2028\u2029\ufeff\uffff",
]
NUMBERS = [
    0, -1, 1, 2**53, 2**63 - 1, -(2**63), 0.5, -0.25, 1.5e300, 5e-324, 1e21, 123456789.125, 0.1, 1e-7, 3.141592653589793,
]


def text(chance, longest=12):
    return "".join(chance.choice(chance.choice(ALPHABETS)) for _ in range(chance.randrange(longest)))


def value(chance, depth=3):
    kind = chance.randrange(8 if depth else 6)
    if kind < 2:
        return text(chance)
    if kind == 2:
        return chance.choice(NUMBERS)
    if kind == 3:
        return chance.randrange(-(10**6), 10**6)
    if kind == 4:
        return chance.choice([None, True, False])
    if kind == 5:
        return round(chance.uniform(-1000, 1000), chance.randrange(6))
    if kind == 6:
        return [value(chance, depth - 1) for _ in range(chance.randrange(4))]
    return {key(chance): value(chance, depth - 1) for _ in range(chance.randrange(4))}


def key(chance):
    return "k" + text(chance, 8)


def document(chance, number):
    body = {key(chance): value(chance) for _ in range(chance.randrange(1, 7))}
    return {"_id": f"doc-{number:05d}" + chance.choice(["", "é", "e\u0301", " x", "日本"]), **body}


def same(left, right):
    """Equality that tells 1 from 1.0 and True, as JSON text does."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[name], right[name]) for name in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and left == right
