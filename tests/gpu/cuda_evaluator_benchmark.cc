// What evaluating on a GPU costs and how far its numbers can be trusted: cold
// and warm seconds, repeatability, verdicts on what misbehaves, and whether
// that leaves a trace on whoever comes next.
//
//   cuda_evaluator_benchmark BUILD_DIRECTORY CACHE_DIRECTORY [NVBENCH_STYLE]
//
// NVBENCH_STYLE: the program made of nvbench_style.cu, which times the same
// kernels on its own.  Exits with 77 where there is no device.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "eval/evaluator.h"
#include "eval/trace_set.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;

double Now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string RootSource(const Task& task) {
  return task.root.sources.front().content;
}

std::string FirstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

class Benchmark {
 public:
  Benchmark(fs::path build, fs::path cache)
      : build_(std::move(build)), cache_(std::move(cache)) {}

  std::unique_ptr<Evaluator> Make(bool empty_cache) {
    if (empty_cache) fs::remove_all(cache_);
    CudaEvaluatorOptions options;
    options.cache_directory = cache_;
    options.runner = build_ / "coppice-cuda-runner";
    options.nvrtc = build_ / "coppice-nvrtc";
    options.call_timeout_s = 2.0;
    auto made = MakeCudaEvaluator(options);
    if (!made) {
      std::printf("skipped: %s\n", made.error().what.c_str());
      std::exit(made.error().code == Errc::kUnavailable ? 77 : 1);
    }
    return std::move(*made);
  }

  Task Load(const std::string& name) {
    auto task = LoadTask(build_ / "data/cuda", name);
    if (!task) {
      std::printf("%s\n", task.error().what.c_str());
      std::exit(1);
    }
    return std::move(*task);
  }

  // Prints a row, and returns the first workload's median.
  double Judge(Evaluator& evaluator, const Task& task, const char* what,
               const std::string& source, Tier tier = Tier::kFast) {
    const double start = Now();
    const auto judged =
        evaluator.Evaluate(task, {Language::kCuda, source, "run"}, tier);
    const double seconds = Now() - start;
    if (!judged) {
      std::printf("| %s | error | | %.3f | %s |\n", what, seconds,
                  judged.error().what.c_str());
      std::fflush(stdout);
      return 0.0;
    }
    const WorkloadResult* first =
        judged->workloads.empty() ? nullptr : &judged->workloads.front();
    const double median =
        first != nullptr && !first->samples_s.empty()
            ? Median(first->samples_s)
            : 0.0;
    std::printf(
        "| %s | %s | %.3f us | %.3f = %.3f + %.3f + %.3f s | %zu | %lld | %s "
        "|\n",
        what, std::string(Name(judged->verdict)).c_str(), median * 1e6, seconds,
        judged->compile_s, judged->check_s, judged->timing_s,
        first == nullptr ? 0 : first->samples_s.size(),
        static_cast<long long>(first == nullptr ? 0 : first->calls_verified),
        FirstLine(judged->log).c_str());
    std::fflush(stdout);
    return median;
  }

 private:
  fs::path build_;
  fs::path cache_;
};

// `host` is code with an entry instead of a launch plan.
struct Misbehaviour {
  const char* name;
  const char* source;
};

const Misbehaviour kMisbehaviours[] = {
    {"does not compile", "//@ launch relu<<<1, 1>>>(x, y)\nnonsense\n"},
    {"plan names no axis",
     "//@ launch relu<<<Q, 1>>>(x, y)\nextern \"C\" __global__ void relu() {}"},
    {"plan names no kernel",
     "//@ launch rule<<<1, 1>>>(x, y)\n"
     "extern \"C\" __global__ void relu(const float*, float*) {}"},
    {"too few arguments",
     "//@ launch relu<<<1, 1>>>(x)\n"
     "extern \"C\" __global__ void relu(const float*, float*) {}"},
    {"writes nothing",
     "//@ launch relu<<<1, 1>>>(x, y)\n"
     "extern \"C\" __global__ void relu(const float*, float*) {}"},
    {"loops forever",
     "//@ launch relu<<<132, 128>>>(x, y)\n"
     "extern \"C\" __global__ void relu(const float*, volatile float* y) {\n"
     "  while (y[0] != 12345.0f) {}\n}"},
    {"reads address 16",
     "//@ launch relu<<<1, 1>>>(x, y)\n"
     "extern \"C\" __global__ void relu(const float*, float* y) {\n"
     "  y[0] = *(float*)16;\n}"},
    {"writes an input",
     "//@ launch relu<<<1, 1>>>(x, y)\n"
     "extern \"C\" __global__ void relu(float* x, float*) { x[0] = 1; }"},
    {"writes after the output",
     "//@ launch relu<<<ceil_div(N, 256), 256>>>(x, y, N)\n"
     "extern \"C\" __global__ void relu(const float* x, float* y,\n"
     "                                  long long n) {\n"
     "  long long i = blockIdx.x * 256ll + threadIdx.x;\n"
     "  if (i < n) y[i] = x[i] > 0 ? x[i] : 0;\n"
     "  if (i == 0) y[n] = 1;\n"
     "  if (i == 0) y[n + (1 << 20)] = 1;\n}"},
    {"writes before the output",
     "//@ launch relu<<<ceil_div(N, 256), 256>>>(x, y, N)\n"
     "extern \"C\" __global__ void relu(const float* x, float* y,\n"
     "                                  long long n) {\n"
     "  long long i = blockIdx.x * 256ll + threadIdx.x;\n"
     "  if (i < n) y[i] = x[i] > 0 ? x[i] : 0;\n"
     "  if (i == 0) y[-1] = 1;\n}"},
    {"one element wrong",
     "//@ launch relu<<<ceil_div(N, 256), 256>>>(x, y, N)\n"
     "extern \"C\" __global__ void relu(const float* x, float* y,\n"
     "                                  long long n) {\n"
     "  long long i = blockIdx.x * 256ll + threadIdx.x;\n"
     "  if (i < n) y[i] = x[i] > 0 ? x[i] : 0;\n"
     "  if (i == n / 2) y[i] = 0.5f;\n}"},
    {"traps", "//@ launch relu<<<1, 1>>>(x, y)\n"
              "extern \"C\" __global__ void relu(const float*, float*) {\n"
              "  __trap();\n}"},
};

const char kHostCode[] = R"(
#include <cstdint>
__global__ void relu(const float* x, float* y, int64_t n) {
  int64_t i = blockIdx.x * int64_t{256} + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 ? x[i] : 0;
}
extern "C" void run(const float* x, float* y, int64_t n, cudaStream_t s) {
  relu<<<(n + 255) / 256, 256, 0, s>>>(x, y, n);
}
)";

const char kSleepingHostCode[] = R"(
#include <cstdint>
#include <unistd.h>
__global__ void relu(const float* x, float* y, int64_t n) {
  int64_t i = blockIdx.x * int64_t{256} + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 ? x[i] : 0;
}
extern "C" void run(const float* x, float* y, int64_t n, cudaStream_t s) {
  cudaStreamSynchronize(s);
  relu<<<(n + 255) / 256, 256, 0, s>>>(x, y, n);
  cudaStreamSynchronize(s);
}
)";

const char kSideStream[] = R"(
#include <cstdint>
__global__ void relu(const float* x, float* y, int64_t n) {
  int64_t i = blockIdx.x * int64_t{256} + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 ? x[i] : 0;
}
extern "C" void run(const float* x, float* y, int64_t n, cudaStream_t) {
  static cudaStream_t side = [] {
    cudaStream_t made;
    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    return made;
  }();
  relu<<<(n + 255) / 256, 256, 0, side>>>(x, y, n);
}
)";

const char kForks[] = R"(
#include <cstdint>
#include <unistd.h>
extern "C" void run(const float*, float*, int64_t, cudaStream_t) { fork(); }
)";

void Run(const fs::path& build, const fs::path& cache, const char* nvbench) {
  Benchmark benchmark(build, cache);
  std::printf("| what | verdict | median | seconds = compile + check + time | "
              "samples | calls | log |\n|---|---|---|---|---|---|---|\n");
  const Task relu = benchmark.Load("cuda_relu");
  const Task gemm = benchmark.Load("cuda_gemm_square");
  Task one_relu = relu;
  one_relu.workloads.resize(1);
  Task one_gemm = gemm;
  one_gemm.workloads.resize(1);
  {
    const double start = Now();
    const auto evaluator = benchmark.Make(true);
    std::printf("(evaluator made in %.3f s)\n", Now() - start);
    benchmark.Judge(*evaluator, one_relu, "relu, 1 shape, nothing cached",
                    RootSource(relu));
  }
  {
    const auto evaluator = benchmark.Make(false);
    benchmark.Judge(*evaluator, one_relu, "relu, 1 shape, cold process",
                    RootSource(relu) + "\n// a\n");
  }
  {
    const auto evaluator = benchmark.Make(false);
    benchmark.Judge(*evaluator, one_gemm, "gemm, 1 shape, cold process",
                    RootSource(gemm) + "\n// a\n");
  }
  {
    const auto evaluator = benchmark.Make(false);
    benchmark.Judge(*evaluator, one_relu, "relu .so, 1 shape, cold process",
                    kHostCode);
  }
  const auto evaluator = benchmark.Make(false);
  benchmark.Judge(*evaluator, gemm, "gemm, 3 shapes, cold process",
                  RootSource(gemm) + "\n// b\n");
  benchmark.Judge(*evaluator, gemm, "gemm, 3 shapes, warm, new source",
                  RootSource(gemm) + "\n// c\n");
  benchmark.Judge(*evaluator, relu, "relu, 3 shapes, new task",
                  RootSource(relu) + "\n// b\n");
  benchmark.Judge(*evaluator, relu, "relu, 3 shapes, warm, new source",
                  RootSource(relu) + "\n// c\n");
  benchmark.Judge(*evaluator, one_relu, "relu, 1 shape", RootSource(relu));
  std::vector<double> medians;
  for (int i = 0; i < 10; ++i) {
    medians.push_back(benchmark.Judge(*evaluator, one_relu, "again",
                                      RootSource(relu)));
  }
  const auto spread = [](std::vector<double> values) {
    std::ranges::sort(values);
    return 100.0 * (values.back() - values.front()) / values[values.size() / 2];
  };
  std::printf("spread of 10 medians: %.3f %%\n", spread(medians));
  benchmark.Judge(*evaluator, one_relu, "honest .so", kHostCode);
  for (const Misbehaviour& each : kMisbehaviours) {
    benchmark.Judge(*evaluator, one_relu, each.name, each.source);
    benchmark.Judge(*evaluator, one_relu, "  the honest one after it",
                    RootSource(relu));
  }
  for (const auto& [name, source] :
       {std::pair{"waits for the device", kSleepingHostCode},
        {"side stream", kSideStream},
        {"forks", kForks}}) {
    benchmark.Judge(*evaluator, one_relu, name, source);
    benchmark.Judge(*evaluator, one_relu, "  the honest one after it",
                    RootSource(relu));
  }
  benchmark.Judge(*evaluator, one_relu, "relu, full tier", RootSource(relu),
                  Tier::kFull);
  if (nvbench != nullptr) {
    std::fflush(stdout);
    if (std::system(nvbench) != 0) std::printf("%s failed\n", nvbench);
  }
  benchmark.Judge(*evaluator, one_gemm, "gemm, 1 shape", RootSource(gemm));
  medians.clear();
  for (int i = 0; i < 10; ++i) {
    medians.push_back(benchmark.Judge(*evaluator, one_gemm, "again",
                                      RootSource(gemm)));
  }
  std::printf("spread of 10 medians: %.3f %%\n", spread(medians));
}

}  // namespace
}  // namespace coppice::eval

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr,
                 "usage: cuda_evaluator_benchmark BUILD CACHE [PROGRAM]\n");
    return 2;
  }
  coppice::eval::Run(argv[1], argv[2], argc > 3 ? argv[3] : nullptr);
}
