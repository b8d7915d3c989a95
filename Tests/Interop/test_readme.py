"""The README's tour shows what the program really does."""

import tour


def test_every_command_of_the_tour_shows_what_the_readme_says(tmp_path):
    run = tour.Tour(tmp_path)
    shown = [pair for block in tour.blocks() for pair in block]
    assert len(shown) > 10
    for command, expected in shown:
        assert tour.masked(run.show(command)) == tour.masked(expected), command
