def run(d):
    n = d.shape[1]
    upper = d.new_empty(n)
    x = d.clone()
    for i in range(n):
        pivot = 3.0 if i == 0 else 3.0 + upper[i - 1]
        upper[i] = -1.0 / pivot
        x[:, i] = (x[:, i] + (x[:, i - 1] if i > 0 else 0.0)) / pivot
    for i in range(n - 2, -1, -1):
        x[:, i] -= upper[i] * x[:, i + 1]
    return x
