// What evaluating on a GPU costs and how far its numbers can be trusted: cold
// and warm seconds, repeatability, whether what misbehaves leaves a trace on
// whoever comes next, and every task's root.
//
//   cuda_evaluator_benchmark BUILD_DIRECTORY CACHE_DIRECTORY NVBENCH_STYLE
//   cuda_evaluator_benchmark BUILD_DIRECTORY CACHE_DIRECTORY --roots
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

#include "eval/formats/trace_set.h"
#include "eval/host/nvml.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "store/records/candidate.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"

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
    const double median = first != nullptr && !first->samples_s.empty()
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

const char kHead[] =
    "| what | verdict | median | seconds = compile + check + time | samples | "
    "calls | log |\n|---|---|---|---|---|---|---|\n";

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

const char kLoops[] =
    "//@ launch relu<<<132, 128>>>(x, y)\n"
    "extern \"C\" __global__ void relu(const float*, volatile float* y) {\n"
    "  while (y[0] != 12345.0f) {}\n}";

const char kFaults[] =
    "//@ launch relu<<<1, 1>>>(x, y)\n"
    "extern \"C\" __global__ void relu(const float*, float* y) {\n"
    "  y[0] = *(float*)16;\n}";

// An entry with host code that does this first.
std::string HostCode(const std::string& body) {
  std::string source = kHostCode;
  source.insert(source.find("  relu<<<"), body + "\n");
  return "#include <cstdio>\n#include <thread>\n#include <unistd.h>\n" + source;
}

const char kSpins[] =
    "  static std::thread spinner([] { for (volatile long i = 0;;) i = i + 1; "
    "});";
const char kHogs[] =
    "  static void* all = nullptr;\n"
    "  for (size_t size = size_t{1} << 40; size > 4096; size /= 2) {\n"
    "    while (cudaMalloc(&all, size) == cudaSuccess) {}\n  }";

// How far apart values are, in percent of their middle.
double Spread(std::vector<double> values) {
  std::ranges::sort(values);
  return 100.0 * (values.back() - values.front()) / values[values.size() / 2];
}

// Thirty runs, in three groups of ten.
void Repeat(Benchmark& benchmark, Evaluator& evaluator, const Task& task) {
  std::vector<double> medians;
  std::vector<double> of_ten;
  for (int group = 0; group < 3; ++group) {
    std::vector<double> ten;
    for (int i = 0; i < 10; ++i) {
      ten.push_back(
          benchmark.Judge(evaluator, task, "again", RootSource(task)));
    }
    medians.insert(medians.end(), ten.begin(), ten.end());
    of_ten.push_back(Median(ten));
  }
  std::printf("spread of 30 runs: %.3f %%; of 3 medians of 10: %.3f %%\n",
              Spread(medians), Spread(of_ten));
}

// Every task's root against itself.
void JudgeRoots(const fs::path& build, const fs::path& cache) {
  Benchmark benchmark(build, cache);
  std::printf("%s", kHead);
  const auto names = ListDefinitions(build / "data/cuda");
  if (!names) return;
  const auto evaluator = benchmark.Make(false);
  for (const std::string& name : *names) {
    const Task task = benchmark.Load(name);
    benchmark.Judge(*evaluator, task, name.c_str(), RootSource(task),
                    Tier::kFast);
    benchmark.Judge(*evaluator, task, "  all distributions", RootSource(task),
                    Tier::kFull);
  }
}

void Run(const fs::path& build, const fs::path& cache, const char* nvbench) {
  Benchmark benchmark(build, cache);
  std::printf(
      "| what | verdict | median | seconds = compile + check + time | "
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
  Repeat(benchmark, *evaluator, one_relu);
  for (const auto& [name, source] :
       {std::pair<const char*, std::string>{"honest .so", kHostCode},
        {"loops", kLoops},
        {"faults", kFaults},
        {"forks", HostCode("  for (;;) fork();")},
        {"floods", HostCode("  for (;;) std::puts(\"flood\");")},
        {"hangs", HostCode("  for (;;) sleep(1);")},
        {"spins on another thread", HostCode(kSpins)},
        {"takes all memory", HostCode(kHogs)}}) {
    benchmark.Judge(*evaluator, one_relu, name, source);
    benchmark.Judge(*evaluator, one_relu, "  the honest one after it",
                    RootSource(relu));
  }
  benchmark.Judge(*evaluator, one_relu, "relu, full tier", RootSource(relu),
                  Tier::kFull);
  std::fflush(stdout);
  if (std::system(nvbench) != 0) std::printf("%s failed\n", nvbench);
  benchmark.Judge(*evaluator, one_gemm, "gemm, 1 shape", RootSource(gemm));
  Repeat(benchmark, *evaluator, one_gemm);
}

}  // namespace
}  // namespace coppice::eval

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(
        stderr,
        "usage: cuda_evaluator_benchmark BUILD CACHE PROGRAM|--roots\n");
    return 2;
  }
  if (!coppice::eval::cuda::Nvml::Open()) {
    std::puts("skipped: no CUDA device");
    return 77;
  }
  if (std::string(argv[3]) == "--roots") {
    coppice::eval::JudgeRoots(argv[1], argv[2]);
  } else {
    coppice::eval::Run(argv[1], argv[2], argv[3]);
  }
}
