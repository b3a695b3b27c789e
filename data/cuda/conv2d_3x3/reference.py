import torch


def run(x, w):
    return torch.nn.functional.conv2d(x, w, padding=1)
