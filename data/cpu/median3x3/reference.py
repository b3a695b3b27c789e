import torch


def run(x):
    padded = torch.nn.functional.pad(x[None, None], (1, 1, 1, 1), "replicate")
    windows = padded[0, 0].unfold(0, 3, 1).unfold(1, 3, 1)
    return windows.reshape(*x.shape, 9).median(dim=-1).values
