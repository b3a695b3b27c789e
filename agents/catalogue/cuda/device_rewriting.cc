#include "agents/catalogue/cuda/device_rewriting.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "agents/catalogue/cuda/device_catalogue.h"

namespace coppice::agents::catalogue::cuda {

std::string RewriteText(const std::string& source, std::string_view label) {
  const auto rewritten = RewriteDevice(source, ParseLabel(label), "");
  return rewritten ? *rewritten : "refused: " + rewritten.error();
}

std::string MadeLines(const std::string& text, const std::string& before) {
  std::set<std::string> known;
  std::istringstream old_lines(before);
  for (std::string line; std::getline(old_lines, line);) known.insert(line);
  std::string made;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    if (known.contains(line) ||
        line.substr(std::min(first, line.size())) == "}") {
      continue;
    }
    made += first == line.npos ? "\n" : line.substr(first) + "\n";
  }
  return made;
}

const char kRelu[] =
    R"(//@ launch relu<<<ceil_div(N, 256), 256>>>(x, y, int32(N))

// y[N] = max(x[N], 0)
extern "C" __global__ void relu(const float* x, float* y, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    y[i] = fmaxf(x[i], 0.0f);
  }
}
)";

const char kGemm[] =
    R"(//@ launch gemm<<<(ceil_div(N, 16), ceil_div(M, 16)), (16, 16)>>>(A, B, C, int32(M), int32(N), int32(K))

extern "C" __global__ void gemm(const float* A, const float* B, float* C,
                                int M, int N, int K) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M && j < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) {
      sum += A[i * K + k] * B[k * N + j];
    }
    C[i * N + j] = sum;
  }
}
)";

const char kSoftmax[] =
    R"(//@ launch softmax<<<ceil_div(R, 128), 128>>>(x, y, int32(R), int32(C))

extern "C" __global__ void softmax(const float* x, float* y, int R, int C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < R) {
    float largest = x[i * C];
    for (int j = 0; j < C; ++j) {
      largest = fmaxf(largest, x[i * C + j]);
    }
    float sum = 0.0f;
    for (int j = 0; j < C; ++j) {
      y[i * C + j] = expf(x[i * C + j] - largest);
      sum += y[i * C + j];
    }
    for (int j = 0; j < C; ++j) {
      y[i * C + j] = y[i * C + j] / sum;
    }
  }
}
)";

}  // namespace coppice::agents::catalogue::cuda
