"""Intervals of a mean, by Student's t."""

import math
import statistics

# 97.5 % quantiles of 1 to 30 degrees of freedom; above that the normal's is
# near enough.
QUANTILES = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)


def half_width(values):
    """Half the 95 % interval around their mean: infinite for fewer than two."""
    freedom = len(values) - 1
    if freedom < 1:
        return math.inf
    t = QUANTILES[freedom - 1] if freedom <= len(QUANTILES) else 1.98
    return t * statistics.stdev(values) / math.sqrt(len(values))
