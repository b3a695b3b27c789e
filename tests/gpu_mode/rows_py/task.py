from typing import Any

input_t = Any
output_t = Any
