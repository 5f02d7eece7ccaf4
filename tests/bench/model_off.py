#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cost of the hardware model in QEMU when the model is off: runs tests/qemu/off.py, which is in
the folder with its licence."""

import os
import pathlib

OFF = pathlib.Path(__file__).resolve().parents[1] / "qemu/off.py"
os.execv(OFF, [OFF])
