import torch


def run(x, g, w1, b1, w2, b2, s1, s2):
    n = x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + 1e-6) * g
    z = s1 * torch.matmul(n, w1) + b1
    h = torch.nn.functional.gelu(z, approximate="tanh")
    return x + s2 * torch.matmul(h, w2) + b2
