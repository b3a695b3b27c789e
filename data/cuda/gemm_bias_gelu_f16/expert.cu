//@ library cublasLt
#include <cublasLt.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>
#include <map>

namespace {

constexpr int64_t N = 1024;
constexpr int64_t K = 1024;
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

// What cublasLt's heuristic chose for M rows.  Row-major y = x * w is
// column-major y^T = w^T * x^T, whose bias is along its rows.
struct Product {
  explicit Product(cublasLtHandle_t handle, int64_t M) {
    cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_GELU_BIAS;
    cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_EPILOGUE,
                                   &epilogue, sizeof epilogue);
    const cudaDataType_t bias_type = CUDA_R_16F;
    cublasLtMatmulDescSetAttribute(operation,
                                   CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE,
                                   &bias_type, sizeof bias_type);
    cublasLtMatrixLayoutCreate(&w, CUDA_R_16F, N, K, N);
    cublasLtMatrixLayoutCreate(&x, CUDA_R_16F, K, M, K);
    cublasLtMatrixLayoutCreate(&y, CUDA_R_16F, N, M, N);
    cublasLtMatmulPreference_t preference = nullptr;
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulPreferenceSetAttribute(
        preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspaceBytes,
        sizeof kWorkspaceBytes);
    int found = 0;
    cublasLtMatmulAlgoGetHeuristic(handle, operation, w, x, y, y, preference, 1,
                                   &heuristic, &found);
    cublasLtMatmulPreferenceDestroy(preference);
  }

  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t w = nullptr;
  cublasLtMatrixLayout_t x = nullptr;
  cublasLtMatrixLayout_t y = nullptr;
  cublasLtMatmulHeuristicResult_t heuristic{};
};

}  // namespace

extern "C" void run(const __half* x, const __half* w, const __half* b,
                    float scale, __half* y, int64_t M, cudaStream_t stream) {
  static cublasLtHandle_t handle = [] {
    cublasLtHandle_t made = nullptr;
    cublasLtCreate(&made);
    return made;
  }();
  static void* workspace = [] {
    void* made = nullptr;
    cudaMalloc(&made, kWorkspaceBytes);
    return made;
  }();
  static std::map<int64_t, Product> products;
  const Product& product = products.try_emplace(M, handle, M).first->second;
  cublasLtMatmulDescSetAttribute(
      product.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &b, sizeof b);
  const float zero = 0.0f;
  cublasLtMatmul(handle, product.operation, &scale, w, product.w, x, product.x,
                 &zero, y, product.y, y, product.y, &product.heuristic.algo,
                 workspace, kWorkspaceBytes, stream);
}
