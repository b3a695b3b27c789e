def run(x):
    return x.t().contiguous()
