// ScaleTask, y[N] = a x[N], with N = 1000, and processes for it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "eval/cpu/bench.h"
#include "eval/formats/test_tasks.h"
#include "eval/sandbox/compiler.h"

namespace coppice::eval {

class BenchFixture : public testing::Test {
 protected:
  static Program Build(const std::string& source,
                       const std::string& entry = "run") {
    static const Compiler compiler =
        Compiler::Find(COPPICE_TEST_CACHE, 60.0, nullptr).value();
    const auto compiled = compiler.Compile(source, entry);
    EXPECT_TRUE(compiled) << compiled.error().what;
    if (!compiled) return {};
    EXPECT_EQ(compiled->verdict, Verdict::kPassed) << compiled->diagnostics;
    return {compiled->object, entry};
  }

  // `body` is that of the entry, in a file that has what it may want.
  static Program Kernel(const std::string& body) {
    return Build(R"(
      #include <cmath>
      #include <csignal>
      #include <cstdint>
      #include <cstdio>
      #include <cstdlib>
      #include <cstring>
      #include <ctime>
      #include <initializer_list>
      #include <pthread.h>
      #include <sched.h>
      #include <sys/socket.h>
      #include <unistd.h>
      static int calls = 0;
      extern "C" void run(const float* x, float a, float* y, int64_t N) {
        ++calls;)" +
                 body + "}");
  }
  static Program Scale() {
    return Kernel("for (int64_t i = 0; i < N; ++i) y[i] = a * x[i];");
  }

  static CpuRunnerOptions Processes() {
    return {.runner = COPPICE_RUNNER,
            .scratch = COPPICE_TEST_CACHE,
            .environment = {},
            .processors = {}};
  }

  CpuBenchOptions Options() const {
    return {.session = Processes(),
            .candidate = Processes(),
            .root = Build(SourceOfRoot()),
            .oracle = Build(task_.oracle.sources[0].content, "oracle"),
            .seed = 42,
            .pool_s = 0.0};
  }
  std::string SourceOfRoot() const { return task_.root.sources[0].content; }

  std::unique_ptr<CpuBench> Open(CpuBenchOptions options) const {
    auto bench = CpuBench::Open(std::move(options), task_, task_.workloads[0]);
    EXPECT_TRUE(bench) << bench.error().what;
    return std::move(bench).value_or(nullptr);
  }
  std::unique_ptr<CpuBench> Open() const { return Open(Options()); }

  Task task_ = ScaleTask();
};

}  // namespace coppice::eval
