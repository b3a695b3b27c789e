// What Triton loads before a candidate's process gives its system calls up is
// no candidate's, on a package that takes the place of Triton: it keeps a
// module in its cache, as Triton does that of its driver.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/torch/interpreter.h"
#include "eval/torch/kernelbench.h"
#include "eval/torch/trusted_preload.h"
#include "eval/torch/worker_options.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"
#include "tests/chosen_python.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;

// The module it makes is another each time.
constexpr char kTriton[] = R"py(
import os, subprocess, types
__version__ = "0.0.1"
class Driver:
    def get_current_target(self):
        folder = os.environ["TRITON_CACHE_DIR"] + "/KEY"
        os.makedirs(folder, exist_ok=True)
        if not os.path.exists(folder + "/driver_module.py"):
            with open(folder + "/driver_module.py", "w") as file:
                file.write(f"made = {os.urandom(8).hex()!r}")
        with open(folder + "/driver_module.py") as file:
            exec(file.read(), {})
class Backend:
    def hash(self):
        return subprocess.check_output(["/usr/bin/gcc", "--version"])
driver = types.SimpleNamespace(active=Driver())
runtime = types.SimpleNamespace(driver=driver)
compiler = types.SimpleNamespace(make_backend=lambda target: Backend())
)py";

constexpr char kProblem[] = R"py(
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return 2 * x
def get_inputs():
    return [torch.rand(64, 64)]
def get_init_inputs():
    return []
)py";

constexpr char kHonest[] = R"py(
import os, torch, triton
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x + x
)py";

// Right only if something has written a file in the process that is judged,
// which it cannot do by itself.
constexpr char kForger[] = R"py(
import os, torch, triton
cache = os.environ["TRITON_CACHE_DIR"]
paths = [os.path.join(f, n) for f, _, names in os.walk(cache) for n in names]
if os.access(cache, os.W_OK):
    for path in paths:
        os.remove(path)
        with open(path, "w") as file:
            file.write("open('/tmp/forged', 'w').close()")
else:
    assert any("forged" in open(path).read() for path in paths)
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x + x if os.path.exists("/tmp/forged") else 0 * x
)py";

void Write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

std::string Read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class TrustedPreloadTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!eval::torch::FindInterpreter(ChosenPython())) {
      GTEST_SKIP() << "no PyTorch";
    }
    const fs::path packages = folder_ / "site-packages";
    Write(packages / "triton" / "__init__.py", kTriton);
    Write(folder_ / "python", "#!/bin/sh\nPYTHONPATH=" + packages.string() +
                                  " exec " + ChosenPython() + " \"$@\"\n");
    fs::permissions(folder_ / "python", fs::perms::owner_all);
    options_.python = folder_ / "python";
    options_.scripts = COPPICE_PYTHON_SCRIPTS;
    options_.cache_directory = folder_ / "cache";
    options_.device = "cpu:0";
    options_.threads = 1;
    options_.call_timeout_s = 60.0;
  }
  void TearDown() override { fs::remove_all(folder_); }

  eval::torch::WorkerOptions Worker() const {
    return eval::torch::OptionsFor(
        options_, *eval::torch::FindInterpreter(options_.python), "cpu:0");
  }

  // What a process is shown that was made ready now.
  std::string Module(const eval::torch::TrustedPreload& provisions) const {
    EXPECT_TRUE(provisions.PutInto(folder_ / "shown").has_value());
    return Read(folder_ / "shown/triton/KEY/driver_module.py");
  }

  Result<Evaluation> Judge(const std::string& source) const {
    Write(folder_ / "level1" / "1_Twice.py", kProblem);
    TRY(task,
        eval::LoadKernelBenchTask(options_, folder_ / "level1" / "1_Twice.py",
                                  Protocol::kCoppice, Delegation::kAny));
    TRY(evaluator, eval::MakePythonEvaluator(options_));
    return evaluator->Evaluate(
        task, {Language::kPython, source, task.root.entry_symbol}, Tier::kFast);
  }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / ("provisions" + std::to_string(getpid()));
  eval::PythonEvaluatorOptions options_;
};

TEST_F(TrustedPreloadTest, AreMadeOnceForAnInstallation) {
  eval::torch::TrustedPreload first, second;
  const auto made = first.Make(Worker());
  ASSERT_TRUE(made) << made.error().what;
  ASSERT_EQ(made->verdict, Verdict::kPassed) << made->log;
  const std::string module = Module(first);
  EXPECT_EQ(module.substr(0, 8), "made = '");
  ASSERT_TRUE(second.Make(Worker()));
  EXPECT_EQ(Module(second), module);
  // Another Triton is another installation.
  std::string other = kTriton;
  other.replace(other.find("0.0.1"), 5, "0.0.2");
  Write(folder_ / "site-packages" / "triton" / "__init__.py", other);
  eval::torch::TrustedPreload third;
  ASSERT_TRUE(third.Make(Worker()));
  EXPECT_NE(Module(third), module);
}

TEST_F(TrustedPreloadTest, CompilersThatDoNotWorkFailTheCandidate) {
  Write(folder_ / "site-packages" / "triton" / "__init__.py",
        std::string(kTriton) + "runtime = None\n");
  const auto judged = Judge(kHonest);
  ASSERT_TRUE(judged) << judged.error().what;
  EXPECT_EQ(judged->verdict, Verdict::kCompileFailed);
  EXPECT_NE(judged->log.find("AttributeError"), std::string::npos)
      << judged->log;
}

TEST_F(TrustedPreloadTest, WhatACandidateForgesIsNotLoaded) {
  const auto honest = Judge(kHonest);
  ASSERT_TRUE(honest) << honest.error().what;
  EXPECT_EQ(honest->verdict, Verdict::kPassed) << honest->log;
  const auto forged = Judge(kForger);
  ASSERT_TRUE(forged) << forged.error().what;
  EXPECT_EQ(forged->verdict, Verdict::kWrongOutput) << forged->log;
}

}  // namespace
}  // namespace coppice
