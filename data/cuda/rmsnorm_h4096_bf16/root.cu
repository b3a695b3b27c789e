//@ launch rmsnorm<<<ceil_div(batch_size, 128), 128>>>(hidden_states, weight, output, int32(batch_size))
#include <cuda_bf16.h>

// output[batch_size,hidden_size] = hidden_states / rms(hidden_states) * weight
extern "C" __global__ void rmsnorm(const __nv_bfloat16* hidden_states,
                                   const __nv_bfloat16* weight,
                                   __nv_bfloat16* output, int batch_size) {
  constexpr int hidden_size = 4096;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < batch_size) {
    float squares = 0.0f;
    for (int j = 0; j < hidden_size; ++j) {
      float x = __bfloat162float(hidden_states[i * hidden_size + j]);
      squares += x * x;
    }
    float scale = 1.0f / sqrtf(squares / hidden_size + 1e-6f);
    for (int j = 0; j < hidden_size; ++j) {
      float x = __bfloat162float(hidden_states[i * hidden_size + j]);
      output[i * hidden_size + j] =
          __float2bfloat16(x * scale * __bfloat162float(weight[j]));
    }
  }
}
