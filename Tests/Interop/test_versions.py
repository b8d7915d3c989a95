"""The program that the other tests of this folder run is there and answers."""

import os
import subprocess


def test_the_binary_runs():
    result = subprocess.run([os.environ["TOTE_TEST_BINARY"], "--version"], capture_output=True, check=False)
    assert result.returncode == 0
