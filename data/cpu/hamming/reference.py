import torch


def run(queries, codes):
    different = queries[:, None, :] ^ codes[None, :, :]
    bits = (different[..., None] >> torch.arange(32, dtype=torch.int32)) & 1
    return bits.sum(dim=(-1, -2)).to(torch.int32)
