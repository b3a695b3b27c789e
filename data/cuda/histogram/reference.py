import torch


def run(values):
    return torch.bincount(values.long() & 255, minlength=256).to(torch.int32)
