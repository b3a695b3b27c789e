"""The softmax of each row, as textbooks of machine learning have it."""

import numpy as np


def softmax(x):
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def softmax_inputs():
    return np.random.randn(512, 1024)
