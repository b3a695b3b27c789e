// C = A * B.
//
// Error model: a float32 dot product of N terms in any order (Higham and Mary
// 2019, theorem 3.1),
//   m = sqrt(N) sum|a_k b_k|.
// The factor is 2, so that TF32, whose error grows no faster than sqrt(N), is
// out by a wide margin.
//@ launch oracle<<<(ceil_div(N, 16), ceil_div(N, 16)), (16, 16)>>>(A, B, C, C_m, int32(N))
extern "C" __global__ void oracle(const float* A, const float* B, double* C,
                                  double* C_m, int N) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N || j >= N) return;
  double sum = 0.0;
  double terms = 0.0;
  for (int k = 0; k < N; ++k) {
    const double term =
        static_cast<double>(A[i * N + k]) * static_cast<double>(B[k * N + j]);
    sum += term;
    terms += fabs(term);
  }
  C[i * N + j] = sum;
  C_m[i * N + j] = sqrt(static_cast<double>(N)) * terms;
}
