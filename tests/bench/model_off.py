#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cost of the hardware model in QEMU when it is off: tests/qemu/off.py, which lies where its
licence is."""

import os
import pathlib

OFF = pathlib.Path(__file__).resolve().parents[1] / "qemu/off.py"
os.execv(OFF, [OFF])
