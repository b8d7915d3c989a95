"""Writes COUNT todo-like documents of about 250 bytes, one JSON object a line.

Usage: generate.py COUNT > FILE.  The same count gives the same bytes on every machine.
"""

import json
import random
import sys

VERBS = "buy call fix read plant send clean write pay return book renew water sketch measure post".split()
THINGS = (
    "milk,the bicycle,a birthday cake,library books,the tax form,two train tickets,the balcony plants,"
    "Grüße an Zoë,a café table,the résumé,日本語の本,łódź photos,spare keys,the garden gate,winter tyres,a letter"
).split(",")
TAGS = "home work errand phone garden shop kitchen travel paper someday milk music".split()
PEOPLE = "ada Björn Chloé dmitri eve Fátima grace hiro ines jörg kim Łukasz".split()
REMARKS = (
    "ask about the price first,the shop closes at six,see the list on the fridge,it can wait until spring,"
    "Rückfrage nötig,bring the old one along,naïve estimate: two hours,half of it is done"
).split(",")


def document(index, chance):
    """One document: a third are done, half have a note, priorities are even, ages 0 to 89."""
    name = f"{chance.choice(VERBS)} {chance.choice(THINGS)} and {chance.choice(VERBS)} {chance.choice(THINGS)}"
    return {
        "_id": f"todo-{index:07d}",
        "@datatype": "TodoItem",
        "name": name,
        "priority": chance.randrange(3),
        "tags": chance.sample(TAGS, 3),
        "owner": {
            "name": chance.choice(PEOPLE),
            "age": chance.randrange(90),
            "score": round(chance.random() * 100, 3),
        },
        "done": chance.random() < 0.3,
        "note": ", ".join(chance.sample(REMARKS, 2)) if chance.random() < 0.5 else None,
    }


def main():
    chance = random.Random(20301)
    for index in range(int(sys.argv[1])):
        sys.stdout.write(json.dumps(document(index, chance), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    main()
