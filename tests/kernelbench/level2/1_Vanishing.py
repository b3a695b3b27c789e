import torch
import torch.nn as nn


class Model(nn.Module):
    """Its last steps leave nothing of all the work before: zeros."""

    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)

    def forward(self, x):
        y = torch.max(self.linear(x), dim=1, keepdim=True).values
        return torch.relu(y - y.mean(dim=1, keepdim=True))


def get_inputs():
    return [torch.rand(32, 64)]


def get_init_inputs():
    return [64]
