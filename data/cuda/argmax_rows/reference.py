import torch


def run(x):
    return torch.argmax(x, dim=-1).to(torch.int32)
