import torch


def run(x, wq, wk, wv, proj_scale, sm_scale):
    q = proj_scale * torch.matmul(x, wq)
    k = proj_scale * torch.matmul(x, wk)
    v = proj_scale * torch.matmul(x, wv)
    p = torch.softmax(sm_scale * torch.matmul(q, k.T), dim=-1)
    return torch.matmul(p, v)
