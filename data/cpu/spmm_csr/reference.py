import torch


def run(row_start, columns, values, X):
    elements = torch.arange(values.shape[0])
    row = torch.searchsorted(row_start.long(), elements, right=True) - 1
    used = row >= 0
    terms = values[:, None] * X[columns.long()]
    Y = torch.zeros(row_start.shape[0], X.shape[1], dtype=X.dtype)
    return Y.index_add(0, row[used], terms[used])
