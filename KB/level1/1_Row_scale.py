import torch
import torch.nn as nn


class Model(nn.Module):
    """Divides each row by the root mean square of its elements."""

    def __init__(self):
        super(Model, self).__init__()

    def forward(self, x):
        return x / torch.sqrt(torch.mean(x * x, dim=1, keepdim=True) + 1e-6)


rows = 512
columns = 1024


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return []
