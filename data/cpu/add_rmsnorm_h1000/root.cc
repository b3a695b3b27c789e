#include <cmath>
#include <cstdint>

// sum = hidden_states + residual;  output = sum / rms(sum) * weight, by rows
extern "C" void run(const float* hidden_states, const float* residual,
                    const float* weight, float* output, float* sum,
                    int64_t batch_size) {
  constexpr int64_t hidden_size = 1000;
  constexpr float kEpsilon = 1e-6f;
  for (int64_t i = 0; i < batch_size; ++i) {
    for (int64_t j = 0; j < hidden_size; ++j) {
      sum[i * hidden_size + j] =
          hidden_states[i * hidden_size + j] + residual[i * hidden_size + j];
    }
  }
  for (int64_t i = 0; i < batch_size; ++i) {
    float squares = 0.0f;
    for (int64_t j = 0; j < hidden_size; ++j) {
      squares += sum[i * hidden_size + j] * sum[i * hidden_size + j];
    }
    float mean = squares / static_cast<float>(hidden_size);
    float scale = 1.0f / std::sqrt(mean + kEpsilon);
    for (int64_t j = 0; j < hidden_size; ++j) {
      output[i * hidden_size + j] =
          sum[i * hidden_size + j] * scale * weight[j];
    }
  }
}
