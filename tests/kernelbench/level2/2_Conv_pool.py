import torch
import torch.nn as nn


class Model(nn.Module):
    """A convolution, a rectifier and the mean over each image's channels."""

    def __init__(self, channels, filters, size):
        super(Model, self).__init__()
        self.conv = nn.Conv2d(channels, filters, size)
        self.scale = nn.Parameter(torch.randn(filters, 1, 1))

    def forward(self, x):
        y = torch.relu(self.conv(x)) * self.scale
        return y.mean(dim=[2, 3])


def get_inputs():
    return [torch.randn(4, 3, 32, 32)]


def get_init_inputs():
    return [3, 8, 3]
