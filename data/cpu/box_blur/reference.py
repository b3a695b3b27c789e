import torch


def run(x):
    return torch.nn.functional.avg_pool2d(
        x[None], 11, stride=1, padding=5, count_include_pad=False)[0]
