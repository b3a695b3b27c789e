//@ launch add<<<ceil_div(batch_size * hidden_size, 256), 256>>>(hidden_states, residual, sum, int32(batch_size * hidden_size))
//@ launch rmsnorm<<<ceil_div(batch_size, 128), 128>>>(sum, weight, output, int32(batch_size))
#include <cuda_bf16.h>

// sum = hidden_states + residual
extern "C" __global__ void add(const __nv_bfloat16* hidden_states,
                               const __nv_bfloat16* residual,
                               __nv_bfloat16* sum, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    sum[i] = __float2bfloat16(__bfloat162float(hidden_states[i]) +
                              __bfloat162float(residual[i]));
  }
}

// output = sum / rms(sum) * weight, by rows
extern "C" __global__ void rmsnorm(const __nv_bfloat16* sum,
                                   const __nv_bfloat16* weight,
                                   __nv_bfloat16* output, int batch_size) {
  constexpr int hidden_size = 4096;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < batch_size) {
    float squares = 0.0f;
    for (int j = 0; j < hidden_size; ++j) {
      float x = __bfloat162float(sum[i * hidden_size + j]);
      squares += x * x;
    }
    float scale = 1.0f / sqrtf(squares / hidden_size + 1e-6f);
    for (int j = 0; j < hidden_size; ++j) {
      float x = __bfloat162float(sum[i * hidden_size + j]);
      output[i * hidden_size + j] =
          __float2bfloat16(x * scale * __bfloat162float(weight[j]));
    }
  }
}
