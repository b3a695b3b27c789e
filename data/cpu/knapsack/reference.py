import torch


def run(weight, value):
    best = torch.zeros(weight.shape[0], 2048, dtype=torch.int32)
    for b in range(weight.shape[0]):
        for w, v in zip(weight[b].tolist(), value[b].tolist()):
            taken = best[b, : 2048 - w] + v
            best[b, w:] = torch.maximum(best[b, w:], taken)
    return best
