"""Runs scripts of this directory again and again: numpy, cvxopt and scipy are imported once.

Every line of standard input is a list in JSON: the script, the file that it reads as
standard input, and its arguments. Every line of standard output is what it prints.
"""

import io
import json
import os
import runpy
import sys

here = os.path.dirname(os.path.abspath(__file__))
calls, answers = sys.stdin, sys.stdout
for call in calls:
    script, file, *sys.argv[1:] = json.loads(call)
    sys.stdout = io.StringIO()
    with open(file) as sys.stdin:
        runpy.run_path(os.path.join(here, script), run_name="__main__")
    print(sys.stdout.getvalue(), file=answers, flush=True)
