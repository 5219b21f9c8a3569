"""Runs a script of this directory again and again: numpy, cvxopt and scipy are imported
once.

usage: serve.py script.py

Every line of standard input is a list in JSON: the file that the script reads as standard
input, and its arguments. Every line of standard output is what it prints.
"""

import io
import json
import os
import runpy
import sys

script = os.path.join(os.path.dirname(os.path.abspath(__file__)), sys.argv[1])
calls, answers = sys.stdin, sys.stdout
for call in calls:
    file, *sys.argv[1:] = json.loads(call)
    sys.stdout = io.StringIO()
    with open(file) as sys.stdin:
        runpy.run_path(script, run_name="__main__")
    print(sys.stdout.getvalue(), file=answers, flush=True)
