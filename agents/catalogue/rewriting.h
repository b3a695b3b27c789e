// For tests: kernels as text, and what a technique makes of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/catalogue/setting.h"

namespace coppice::agents::catalogue {

// A kernel file around the statements:
//   extern "C" void run(const float* a, const float* b, float* c, int64_t M,
//                       int64_t N, int64_t K) { ... }
std::string KernelOf(std::string_view statements);

// The statements of a nest that folds what these make of i, j and k over k:
//   for i < M, for j < N { float NAME = 0; for (int64_t k = RANGE) { ... }
//                          c[i * N + j] = NAME; }
std::string FoldOf(std::string_view statements,
                   std::string_view range = "0; k < K; ++k",
                   std::string_view name = "s");

// The statements of a product of matrices: c is a times `second`.
std::string ProductOf(std::string_view second = "b[k * N + j]");

// The statements that the label makes of these, or "refused: why".  Helpers
// and headers are left out.
std::string Rewrite(std::string_view statements, std::string_view label,
                    const Setting& setting = {});

// Only why the label's one technique does not apply to these statements;
// "applies" if it does.
std::string WhyNot(std::string_view statements, std::string_view label,
                   const Setting& setting = {});

// The whole file that the label makes of a file, or "refused: why".
std::string RewriteFile(const std::string& source, std::string_view label,
                        const Setting& setting = {});

// A kernel file compiled and loaded; the test fails if it cannot be.
class LoadedKernel {
 public:
  explicit LoadedKernel(const std::string& source);
  ~LoadedKernel();
  LoadedKernel(const LoadedKernel&) = delete;
  LoadedKernel& operator=(const LoadedKernel&) = delete;

  // `run` as a function of these arguments.
  template <class... Args>
  void operator()(Args... args) const {
    if (entry_ != nullptr) {
      reinterpret_cast<void (*)(Args...)>(entry_)(args...);
    }
  }

 private:
  void* library_ = nullptr;
  void* entry_ = nullptr;
};

// Many kernel files compiled as one, which takes little longer than one does.
// The test fails if they cannot be.
class KernelLibrary {
 public:
  explicit KernelLibrary(std::vector<std::string> sources);
  ~KernelLibrary();
  KernelLibrary(const KernelLibrary&) = delete;
  KernelLibrary& operator=(const KernelLibrary&) = delete;

  // `run` of the file of that number; false if it is not there.
  template <class... Args>
  bool Run(std::size_t file, Args... args) const {
    void* entry = Entry(file);
    if (entry == nullptr) return false;
    reinterpret_cast<void (*)(Args...)>(entry)(args...);
    return true;
  }

 private:
  void* Entry(std::size_t file) const;

  void* library_ = nullptr;
};

}  // namespace coppice::agents::catalogue
