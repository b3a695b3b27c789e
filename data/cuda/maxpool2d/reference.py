import torch


def run(x):
    return torch.nn.functional.max_pool2d(x[None], 3, stride=1, padding=1)[0]
