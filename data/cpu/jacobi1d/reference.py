def run(x):
    y = x.clone()
    for _ in range(40):
        after = y.clone()
        after[1:-1] = (y[:-2] + y[1:-1] + y[2:]) / 3.0
        y = after
    return y
