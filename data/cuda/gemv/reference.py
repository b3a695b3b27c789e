import torch


def run(A, x):
    return torch.mv(A, x)
