# SPDX-License-Identifier: MIT
"""TAP for tests that are scripts.

    import tap
    tap.ok(loss == 0, "nothing is lost at 1 kHz", f"lost {loss}")
    tap.skip("BTS fills the AUX area", "this CPU has no debug store")
    tap.finish()"""

import os
import pathlib
import sys
import threading

# Tests' recordings are kept in the tree's own build-id cache, not in ~/.debug.
os.environ.setdefault("PERF_BUILDID_DIR", str(
    pathlib.Path(__file__).resolve().parents[3] / "build/check/buildid-cache"))
_results = []
_lock = threading.Lock()
_thread = threading.local()  # .last: the output of the last machine of this thread


def last(text):
    """Set the subject of this thread's claims: shown with a false one."""
    _thread.last = text


def ok(passed, claim, detail=""):
    """One result. The detail gives the values that were seen; it is printed if the claim is
    false."""
    with _lock:
        _results.append(bool(passed))
        print(f"{'ok' if passed else 'not ok'} {len(_results)} - {claim}", flush=True)
        if not passed:
            note(detail)
            note(_thread.__dict__.pop("last", ""))
    return bool(passed)


def equal(seen, expected, claim):
    """One result: the seen value equals the expected one."""
    return ok(seen == expected, claim, f"expected {expected!r}\nseen     {seen!r}")


def skip(claim, reason):
    """One claim that cannot be tested here."""
    with _lock:
        _results.append(True)
        print(f"ok {len(_results)} - {claim} # SKIP {reason}", flush=True)


def note(text):
    """A text for the reader of the log."""
    for line in str(text).splitlines():
        print(f"# {line}", flush=True)


def finish():
    """Print the plan. Returns the exit status: 1 if a claim is false."""
    print(f"1..{len(_results)}", flush=True)
    sys.exit(0 if all(_results) else 1)
