import torch


def run(x, gamma, beta, w, b):
    h = torch.nn.functional.layer_norm(x, (x.shape[-1],), gamma, beta, 1e-5)
    return torch.nn.functional.linear(h, w, b)
