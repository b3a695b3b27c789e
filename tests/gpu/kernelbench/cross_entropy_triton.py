import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def cross_entropy(x, labels, losses, classes, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    value = tl.load(x + row * classes + offsets, mask=offsets < classes,
                    other=float("-inf"))
    peak = tl.max(value, 0)
    total = tl.log(tl.sum(tl.exp(value - peak), 0)) + peak
    chosen = tl.load(x + row * classes + tl.load(labels + row))
    tl.store(losses + row, total - chosen)


class ModelNew(nn.Module):
    """A row of scores is read once; the mean of the rows is torch's."""

    def forward(self, predictions, targets):
        rows, classes = predictions.shape
        losses = torch.empty(rows, device=predictions.device)
        cross_entropy[(rows,)](
            predictions, targets, losses, classes,
            BLOCK=triton.next_power_of_2(classes), num_warps=8
        )
        return losses.mean()
