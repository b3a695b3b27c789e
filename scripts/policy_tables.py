#!/usr/bin/env python3
"""Tables of docs/policies.md from what a comparison in memory says.

usage: coppice compare --in-memory --policies all --tasks sim:all,recorded:train \\
         --seeds 2000 --budget 30,100,300,1000 --json > mass.json
       scripts/policy_tables.py mass.json [POLICY]

Prints all policies over all landscapes, all policies by family and recorded
space at the least budget, and POLICY (xei_b) by landscape.
"""

import json
import math
import sys


def holm(p_values):
    """Adjusted, in the order given."""
    adjusted, least = [0.0] * len(p_values), 0.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, i in enumerate(order):
        least = max(least, min(1.0, (len(order) - rank) * p_values[i]))
        adjusted[i] = least
    return adjusted


class Trial:
    def __init__(self, document):
        self.baseline = document["baseline"]
        self.budgets = document["budgets"]
        self.landscapes = document["landscapes"]
        self.others = [policy for policy in document["policies"]
                       if policy != self.baseline]
        self.parts = {(part["budget"], part["landscape"]): part
                      for part in document["parts"]}

    def mean(self, budget, landscape, policy):
        part = self.parts[budget, landscape]
        return next(row["mean_log_speedup"]["value"]
                    for row in part["policies"] if row["policy"] == policy)

    def difference(self, budget, landscape, policy):
        part = self.parts[budget, landscape]
        return next((row for row in part["differences"]
                     if row["policy"] == policy), None)

    def families(self):
        """{name: its landscapes}; a recorded space is one of its own."""
        groups = {}
        for landscape in self.landscapes:
            groups.setdefault(landscape.partition("/")[0], []).append(landscape)
        return groups


def ranged(difference):
    value = difference["log_speedup"]
    return f"{value['value']:+.3f} ({value['low']:+.3f} to {value['high']:+.3f})"


def print_row(cells):
    print("| " + " | ".join(cells) + " |")


def print_head(cells):
    print_row(cells)
    print("|" + "---|" * len(cells))


def print_together(trial):
    told = [budget for budget in trial.budgets if budget != 100]
    print_head(["policy"] + [f"{budget:,}" for budget in trial.budgets] +
               [f"difference at {budget:,}" for budget in told])
    for policy in sorted(trial.others + [trial.baseline],
                         key=lambda name: -trial.mean(trial.budgets[0], None,
                                                      name)):
        cells = [f"`{policy}`"]
        cells += [f"{trial.mean(budget, None, policy):.3f}"
                  for budget in trial.budgets]
        for budget in told:
            row = trial.difference(budget, None, policy)
            star = "*" if row and row["p_holm"] < 0.05 else ""
            value, _, interval = ranged(row).partition(" ") if row else ("",) * 3
            cells.append(f"{value}{star} {interval}".rstrip())
        print_row(cells)


def print_by_family(trial, budget):
    groups = trial.families()
    print_head(["policy"] + [f"`{name.partition(':')[2]}`" for name in groups])
    for policy in trial.others:
        cells = [f"`{policy}`"]
        for landscapes in groups.values():
            rows = [trial.difference(budget, each, policy)
                    for each in landscapes]
            value = sum(row["log_speedup"]["value"]
                        for row in rows) / len(rows)
            error = math.sqrt(sum(row["standard_deviation"] ** 2 / row["pairs"]
                                  for row in rows)) / len(rows)
            cells.append(f"{value:+.3f} ± {1.96 * error:.3f}")
        print_row(cells)


def print_by_landscape(trial, policy, budgets):
    print_head(["landscape"] +
               [f"{trial.baseline}; {policy}, {budget:,}" for budget in budgets])
    told = {}
    for budget in budgets:
        told[budget] = holm([trial.difference(budget, each, policy)["p"]
                             for each in trial.landscapes])
    for i, landscape in enumerate(trial.landscapes):
        cells = [f"`{landscape}`"]
        for budget in budgets:
            row = trial.difference(budget, landscape, policy)
            value, _, interval = ranged(row).partition(" ")
            star = "*" if told[budget][i] < 0.05 else ""
            cells.append(f"{trial.mean(budget, landscape, trial.baseline):.3f};"
                         f" {value}{star} {interval}")
        print_row(cells)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        trial = Trial(json.load(file))
    policy = sys.argv[2] if len(sys.argv) == 3 else "xei_b"
    print_together(trial)
    print()
    print_by_family(trial, trial.budgets[0])
    print()
    print_by_landscape(trial, policy, trial.budgets)


if __name__ == "__main__":
    main()
