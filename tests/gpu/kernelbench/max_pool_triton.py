import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def max_pool(x, y, height, width, rows, columns, PADDING: tl.constexpr,
             SIZE: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(1) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    plane = tl.program_id(2).to(tl.int64)
    most = tl.full((ROWS, COLUMNS), float("-inf"), tl.float32)
    for i in tl.static_range(SIZE):
        for j in tl.static_range(SIZE):
            line = row + i - PADDING
            place = column + j - PADDING
            inside = (line >= 0) & (line < height) & (place >= 0) & (place < width)
            value = tl.load(x + plane * height * width + line * width + place,
                            mask=inside, other=float("-inf"))
            most = tl.maximum(most, value)
    tl.store(y + plane * rows * columns + row * columns + column, most,
             mask=(row < rows) & (column < columns))


class ModelNew(nn.Module):
    """Square windows at every place."""

    def __init__(self, kernel_size, stride, padding, dilation):
        super().__init__()
        if (stride, dilation) != (1, 1):
            raise ValueError("windows with gaps")
        self.size, self.padding = kernel_size, padding

    def forward(self, x):
        images, channels, height, width = x.shape
        rows = height + 2 * self.padding - self.size + 1
        columns = width + 2 * self.padding - self.size + 1
        y = torch.empty(images, channels, rows, columns, device=x.device)
        grid = (triton.cdiv(columns, 128), triton.cdiv(rows, 16), images * channels)
        max_pool[grid](
            x, y, height, width, rows, columns, PADDING=self.padding,
            SIZE=self.size, ROWS=16, COLUMNS=128, num_warps=4
        )
        return y
