import torch
import torch.nn as nn


class Model(nn.Module):
    """So many columns that every element is smaller than 1e-4."""

    def forward(self, x):
        return torch.softmax(x, dim=1)


def get_inputs():
    return [torch.rand(8, 65536)]


def get_init_inputs():
    return []
