#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cost of the hardware model in QEMU: runs tests/qemu/cost.py, which is in the folder with its licence.
"""

import os
import pathlib

COST = pathlib.Path(__file__).resolve().parents[1] / "qemu/cost.py"
os.execv(COST, [COST])
