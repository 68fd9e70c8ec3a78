"""Reads what Timeloop says of a mapping (*.stats.txt)."""
import re

COUNTS = {"Partition size": "partition_words", "Utilized capacity": "tile_words",
          "Utilized instances (max)": "instances", "Scalar reads (per-instance)": "reads",
          "Scalar fills (per-instance)": "fills", "Scalar updates (per-instance)": "updates",
          "Temporal reductions (per-instance)": "temporal_reductions"}


class Unit:
    """Compute units or a level of storage."""

    def __init__(self, name):
        self.name, self.facts, self.spaces = name, {}, {}


class Stats:
    def __init__(self, path):
        self.units, self.networks, self.intensity, self.summary = {}, {}, {}, {}
        with open(path, encoding="utf-8") as file:
            text = file.read()
        levels, rest = text.split("\nNetworks\n", 1)
        self.read_levels(levels)
        networks, rest = rest.split("\nOperational Intensity Stats", 1)
        self.read_networks(networks)
        intensity, summary = rest.split("\nSummary Stats", 1)
        self.read_intensity(intensity)
        for line in summary.splitlines():
            if match := re.match(r"(Cycles|Energy|Utilization|EDP\(J\*cycle\)): ([\d.e+-]+)(%?)", line):
                self.summary[match[1]] = float(match[2]) / (100 if match[3] else 1)
            if match := re.match(r" +(\S.*?) += ([\d.]+)$", line):
                self.summary["fJ " + match[1]] = float(match[2])

    def read_levels(self, text):
        unit = facts = None
        for line in text.splitlines():
            if match := re.match(r"=== (\S+) ===", line):
                unit = self.units[match[1]] = Unit(match[1])
                facts = unit.facts
            elif match := re.match(r" {4}(\w+):$", line):
                facts = unit.spaces[match[1]] = {}
            elif unit and (match := re.match(r" +(\S.*?) *: ([\d.]+)(?: |$)", line)):
                facts[match[1]] = float(match[2])

    def read_networks(self, text):
        """By where the words come from and the data space."""
        source = space = None
        for line in text.splitlines():
            if match := re.match(r"(\S+) +<==> +(\S+)", line):
                source = match[1]
                inner = match[2]
            elif match := re.match(r" {4}(\w+):$", line):
                space = self.networks[source, inner, match[1]] = {}
            elif space is not None and (match := re.match(r" +([A-Z][^:@]*?) *: ([\d.]+)(?: |$)", line)):
                space[match[1]] = float(match[2])

    def read_intensity(self, text):
        """By level; None: of all."""
        facts = self.intensity[None] = {}
        for line in text.splitlines():
            if match := re.match(r"=== (\S+) ===", line):
                facts = self.intensity[match[1]] = {}
            elif match := re.match(r" +(\S.*?) *: ([\d.]+)$", line):
                facts[match[1]] = float(match[2])
