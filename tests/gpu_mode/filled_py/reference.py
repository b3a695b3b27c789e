import torch

from utils import match_reference


def generate_input(size, seed):
    torch.manual_seed(seed)
    return torch.randn(size), torch.empty(size)


def ref_kernel(data):
    x, output = data
    output[...] = x * x
    return output


def check_implementation(data, output):
    tolerance = 1e-6 * data[0].numel() ** 0.5
    return match_reference(data, output, ref_kernel, rtol=tolerance)
