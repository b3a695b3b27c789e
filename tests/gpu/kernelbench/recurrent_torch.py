import torch
import torch.nn as nn

batch_size = 256


class ModelNew(nn.Module):
    """Two products instead of one with a copy of both its inputs."""

    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.input_size = input_size
        torch.randn(batch_size, hidden_size)  # As many as the reference draws.
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)

    def forward(self, x, hidden):
        weight = self.i2h.weight
        now = torch.addmm(self.i2h.bias, x, weight[:, : self.input_size].t())
        now = torch.addmm(now, hidden, weight[:, self.input_size :].t())
        return self.h2o(torch.tanh(now))
