import torch


def run(x, w, bias):
    B, C, H, S, W, _ = x.shape
    image = x.reshape(B, C, H * S, W * S)
    h = torch.relu(torch.nn.functional.conv2d(image, w, bias, padding=1))
    return torch.nn.functional.max_pool2d(h, S)
