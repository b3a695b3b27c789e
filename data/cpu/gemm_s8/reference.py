import torch


def run(A, B):
    return (A.long() @ B.long()).to(torch.int32)
