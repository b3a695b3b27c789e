import torch


def run(hidden_states, residual, weight):
    total = hidden_states + residual
    mean = total.square().mean(dim=-1, keepdim=True)
    return total * torch.rsqrt(mean + 1e-6) * weight, total
