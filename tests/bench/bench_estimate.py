#!/usr/bin/env python3
"""How long an estimate of a network of 10 000 ops takes, once it is read."""
import os
import subprocess

program = os.path.join(os.environ["OPSIGHT_BIN_DIR"], "estimate_pass")
plain, trained = subprocess.run([program, "10000", "7"], check=True, text=True, capture_output=True).stdout.split()
print(f"bench\testimate of 10 000 ops\t{plain}\tms\t<= 50")
print(f"bench\testimate of 10 000 ops, fused, training\t{trained}\tms\t<= 50")
