// Judges candidates by KernelBench's protocol in one process, for
// kernelbench_protocol_test.py.
//
// usage: kernelbench_judge PROBLEM float32|float16|bfloat16 DEVICE CANDIDATE...
//
// A line for each: its verdict and file; why, on stderr.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/torch/interpreter.h"
#include "eval/torch/kernelbench.h"
#include "store/records/candidate.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"
#include "tests/chosen_python.h"

namespace coppice {
namespace {

int Judge(const std::vector<std::string>& words) {
  eval::PythonEvaluatorOptions options;
  options.python = ChosenPython();
  options.scripts = COPPICE_PYTHON_SCRIPTS;
  options.device = words[2];
  options.threads = 1;
  if (!eval::torch::FindInterpreter(options.python)) return 77;
  const DType precision = words[1] == "float16"    ? DType::kFloat16
                          : words[1] == "bfloat16" ? DType::kBFloat16
                                                   : DType::kFloat32;
  auto task = eval::LoadKernelBenchTask(options, words[0], Protocol::kBenchmark,
                                        Delegation::kAny, precision);
  auto evaluator = eval::MakePythonEvaluator(options);
  if (!task || !evaluator) {
    const Error& error = task ? evaluator.error() : task.error();
    std::fprintf(stderr, "%s\n", error.what.c_str());
    return 2;
  }
  for (std::size_t i = 3; i < words.size(); ++i) {
    std::ifstream file(words[i]);
    const Candidate candidate{
        Language::kPython,
        std::string{std::istreambuf_iterator<char>(file), {}},
        "ModelNew",
        {}};
    const auto found = (*evaluator)->Evaluate(*task, candidate, Tier::kFast);
    std::printf("%s %s\n",
                found ? std::string(Name(found->verdict)).c_str() : "error",
                words[i].c_str());
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", words[i].c_str(),
                 found ? found->log.c_str() : found.error().what.c_str());
  }
  return 0;
}

}  // namespace
}  // namespace coppice

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 4) {
    std::fputs("usage: kernelbench_judge PROBLEM PRECISION DEVICE FILE...\n",
               stderr);
    return 2;
  }
  return coppice::Judge(words);
}
