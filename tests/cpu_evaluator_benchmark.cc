// What the cheap tier costs on the CPU: seconds to judge a kernel that was
// never compiled, and one that was.  The kernel is each task's root, in another
// text each time.
//
//   cpu_evaluator_benchmark CACHE_DIRECTORY TASK...
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "eval/formats/trace_set.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "store/records/candidate.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"

namespace coppice::eval {
namespace {

constexpr int kTimes = 11;

template <class T>
T Value(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().what.c_str());
  std::exit(1);
}

struct Cost {
  std::vector<double> all_s, compile_s, check_s, timing_s;

  void Print(const std::string& task, const char* what) const {
    std::printf("| %s | %s | %.3f | %.3f | %.3f | %.3f | %.3f |\n",
                task.c_str(), what, Median(all_s), std::ranges::max(all_s),
                Median(compile_s), Median(check_s), Median(timing_s));
    std::fflush(stdout);
  }
};

void Judge(Evaluator& evaluator, const Task& task, const std::string& source,
           Cost& cost) {
  const auto start = std::chrono::steady_clock::now();
  const Evaluation judged = Value(
      evaluator.Evaluate(task, {Language::kCpp, source, "run"}, Tier::kFast));
  const std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  if (judged.verdict != Verdict::kPassed) {
    std::printf("%s\n", judged.log.c_str());
  }
  cost.all_s.push_back(taken.count());
  cost.compile_s.push_back(judged.compile_s);
  cost.check_s.push_back(judged.check_s);
  cost.timing_s.push_back(judged.timing_s);
}

void Run(const std::filesystem::path& cache,
         const std::vector<std::string>& tasks) {
  CpuEvaluatorOptions options;
  options.cache_directory = cache;
  options.runner = COPPICE_RUNNER;
  const auto evaluator = Value(MakeCpuEvaluator(options));
  std::printf(
      "| task | compiled | median, s | worst | compile | check | time |\n"
      "|---|---|---|---|---|---|---|\n");
  for (const std::string& name : tasks) {
    const Task task = Value(LoadTask(COPPICE_TASKS_DIR, name));
    const std::string root = task.root.sources.front().content;
    Cost first, cold, hit;
    Judge(*evaluator, task, root, first);  // Oracle, root, pool of inputs.
    for (int i = 0; i < kTimes; ++i) {
      const auto now =
          std::chrono::system_clock::now().time_since_epoch().count();
      const std::string source = root + "// " + std::to_string(now) + "\n";
      Judge(*evaluator, task, source, cold);
      Judge(*evaluator, task, source, hit);
    }
    cold.Print(name, "no");
    hit.Print(name, "yes");
  }
}

}  // namespace
}  // namespace coppice::eval

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr,
                 "usage: cpu_evaluator_benchmark CACHE_DIRECTORY TASK...\n");
    return 2;
  }
  coppice::eval::Run(argv[1], {argv + 2, argv + argc});
}
