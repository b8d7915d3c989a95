"""Todo exports read by other people's libraries, and their files imported."""

import datetime
import json

import icalendar
import pytodotxt


def listed(tote):
    tote.run("todo", "add", "Buy milk", "--priority", "high", "--due", "2030-01-05", "--tag", "shop", "--project", "home")
    tote.run("todo", "add", "Grüße schreiben; an Zoë, bald")
    third = tote.json("todo", "add", "Read book")["id"]
    tote.run("todo", "done", third)


def test_icalendar_reads_the_export(tote):
    listed(tote)
    calendar = icalendar.Calendar.from_ical(tote.run("todo", "export", "--format", "ical"))
    todos = {str(todo["SUMMARY"]): todo for todo in calendar.walk("VTODO")}
    assert todos.keys() == {"Buy milk", "Grüße schreiben; an Zoë, bald", "Read book"}
    milk = todos["Buy milk"]
    # A date without a time stays a date (RFC 5545 §3.3.4).
    assert milk["DUE"].dt == datetime.date(2030, 1, 5)
    assert 1 <= int(milk["PRIORITY"]) <= 4
    assert str(todos["Read book"]["STATUS"]) == "COMPLETED"
    assert len({str(todo["UID"]) for todo in todos.values()}) == 3


def test_pytodotxt_reads_the_export(tote, tmp_path):
    listed(tote)
    path = tmp_path / "todo.txt"
    path.write_text(tote.run("todo", "export", "--format", "todotxt"), encoding="utf-8")
    tasks = {task.bare_description(): task for task in pytodotxt.TodoTxt(path).parse()}
    assert tasks["Buy milk"].priority == "A"
    assert tasks["Buy milk"].projects == ["home"]
    assert tasks["Buy milk"].contexts == ["shop"]
    assert tasks["Buy milk"].attributes["due"] == ["2030-01-05"]
    assert tasks["Read book"].is_completed and not tasks["Buy milk"].is_completed


def test_import_of_what_icalendar_wrote(tote, tmp_path):
    calendar = icalendar.Calendar()
    calendar.add("prodid", "-//test//")
    calendar.add("version", "2.0")
    todo = icalendar.Todo()
    todo.add("uid", "abc@example")
    todo.add("summary", "Ein sehr langer Titel, der gefaltet wird; mit Umlauten: äöü " + "ü" * 60)
    todo.add("due", datetime.date(2030, 2, 3))
    todo.add("priority", 1)
    calendar.add_component(todo)
    (tmp_path / "list.ics").write_bytes(calendar.to_ical())
    tote.run("todo", "import", "list.ics", "--format", "ical")
    (found,) = tote.json("todo", "list")
    assert found["name"] == str(todo["SUMMARY"])
    assert found["due"] == "2030-02-03"
    assert found["priority"] == 2


def test_exported_json_imports_into_an_equal_list(tote, tmp_path):
    listed(tote)
    text = tote.run("todo", "export", "--format", "json")
    (tmp_path / "list.json").write_text(text, encoding="utf-8")
    tote.environment["TOTE_HOME"] = str(tmp_path / "other")
    tote.run("todo", "import", "list.json", "--format", "json")
    assert tote.run("todo", "export", "--format", "json") == text
