// For tests: kernels as textbooks and benchmark suites have them.
//
// Each is a file around `run(a, b, c, M, N, K)`.  It reads a of M * K and b of
// N * K elements, and reads or writes c of M * N; all sizes are at least 1.
#pragma once

#include <string>
#include <vector>

namespace coppice::agents::catalogue {

struct TextbookKernel {
  std::string name;
  std::string source;
  std::string tried;  // Labels that no draw leaves out: "jam(j, 4); simd(j)".
};

std::vector<TextbookKernel> TextbookKernels();

}  // namespace coppice::agents::catalogue
