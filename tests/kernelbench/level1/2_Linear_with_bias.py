import torch
import torch.nn as nn


class Model(nn.Module):
    """A linear layer with a bias, then a rectifier."""

    def __init__(self, inputs, outputs):
        super(Model, self).__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x):
        return torch.relu(self.linear(x))


batch = 64
inputs = 256
outputs = 128


def get_inputs():
    return [torch.rand(batch, inputs)]


def get_init_inputs():
    return [inputs, outputs]
