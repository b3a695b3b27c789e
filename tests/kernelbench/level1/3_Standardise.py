import torch
import torch.nn as nn


class Model(nn.Module):
    """Standardised rows, with the means and deviations that were taken out."""

    def __init__(self):
        super().__init__()

    def forward(self, x, epsilon):
        mean = x.mean(dim=1)
        deviation = torch.sqrt(x.var(dim=1, unbiased=False) + epsilon)
        return (x - mean[:, None]) / deviation[:, None], (mean, deviation)


def get_inputs():
    return [torch.randn(128, 512) * 3 + 1, 1e-5]


def get_init_inputs():
    return []
