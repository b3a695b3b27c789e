import torch


def run(a, b):
    pairs, length = b.shape
    row = torch.arange(length + 1).repeat(pairs, 1)
    for i in range(a.shape[1]):
        after = torch.empty_like(row)
        after[:, 0] = i + 1
        replaced = row[:, :-1] + (a[:, i : i + 1] != b)
        best = torch.minimum(replaced, row[:, 1:] + 1)
        for j in range(length):
            after[:, j + 1] = torch.minimum(best[:, j], after[:, j] + 1)
        row = after
    return row[:, -1].to(torch.int32)
