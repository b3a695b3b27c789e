import torch


def run(x):
    height, width = x.shape
    total = torch.zeros_like(x)
    weights = torch.zeros_like(x)
    for p in range(-2, 3):
        for q in range(-2, 3):
            here = (slice(max(0, -p), height - max(0, p)),
                    slice(max(0, -q), width - max(0, q)))
            there = (slice(max(0, p), height - max(0, -p)),
                     slice(max(0, q), width - max(0, -q)))
            difference = x[there] - x[here]
            weight = torch.exp(-(p * p + q * q) / 4.5 - difference**2 / 2)
            total[here] += weight * x[there]
            weights[here] += weight
    return total / weights
