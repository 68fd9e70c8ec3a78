#!/usr/bin/env python3
"""Prints the results of ./dev bench as one table. usage: bench_table.py FILE (see scripts/bench.sh)

Exit 1 where a benchmark failed; a goal that is missed is shown, not an error: figures vary with the machine.
"""
import sys


def verdict(value, goal):
    if goal == "-":
        return ""
    relation, limit = goal.split()
    met = float(value) <= float(limit) if relation == "<=" else float(value) >= float(limit)
    return "met" if met else "MISSED"


def rows(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            _, what, value, unit, goal = line.rstrip("\n").split("\t")
            failed = value == "failed"
            yield what, value, unit, goal, "FAILED" if failed else verdict(value, goal)


def main():
    table = [("measured", "value", "unit", "goal", ""), *rows(sys.argv[1])]
    widths = [max(len(row[i]) for row in table) for i in range(5)]
    for what, value, unit, goal, result in table:
        line = (f"{what:{widths[0]}}  {value:>{widths[1]}}  {unit:{widths[2]}}  {goal:{widths[3]}}  {result}")
        print(line.rstrip())
    return 1 if any(row[4] == "FAILED" for row in table) or len(table) == 1 else 0


if __name__ == "__main__":
    sys.exit(main())
