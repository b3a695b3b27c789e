#include "eval/torch/worker_sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "eval/torch/worker.h"

namespace coppice::eval::torch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr WorkerRole kEveryRole[] = {
    WorkerRole::kProblem, WorkerRole::kKernel, WorkerRole::kBuilder,
    WorkerRole::kProvider, WorkerRole::kWatched};

WorkerOptions OnHost() {
  WorkerOptions options;
  options.interpreter.executable = "/opt/python";
  options.interpreter.path = "/opt/modules";
  options.interpreter.folders = {"/opt/modules", "/opt/lib"};
  options.scripts = "/scripts";
  options.cache = "/made/cache";
  options.provided = "/made/provided";
  options.stored = {"/set/one", "/set/two"};
  options.tool = {.command = {"/usr/bin/tool", "--on"},
                  .environment = {{"TOOL", "1"}},
                  .binds = {{"/opt/tool", "/tool"}}};
  options.threads = 3;
  return options;
}

// The bind whose place inside is that; none if there is none.
std::optional<Bind> BindAt(const SandboxedProgram& program,
                           const std::string& to) {
  for (const Bind& bind : program.binds) {
    if (bind.to == to) return bind;
  }
  return std::nullopt;
}

std::optional<std::string> Variable(const SandboxedProgram& program,
                                    const std::string& name) {
  for (const auto& [key, value] : program.environment) {
    if (key == name) return value;
  }
  return std::nullopt;
}

TEST(WorkerSandboxTest, AWorkerIsToldItsRole) {
  const auto arguments = [](WorkerRole role) {
    return SandboxOf(OnHost(), role).arguments;
  };
  EXPECT_THAT(
      arguments(WorkerRole::kProblem),
      ElementsAre("/opt/python", "-s", "-B", "/scripts/worker.py", "problem"));
  EXPECT_EQ(arguments(WorkerRole::kKernel).back(), "kernel");
  EXPECT_EQ(arguments(WorkerRole::kBuilder).back(), "builder");
  EXPECT_EQ(arguments(WorkerRole::kProvider).back(), "provider");
  EXPECT_THAT(arguments(WorkerRole::kWatched),
              ElementsAre("/usr/bin/tool", "--on", "/opt/python", "-s", "-B",
                          "/scripts/worker.py", "watched"));
}

TEST(WorkerSandboxTest, ItSeesTheInterpreterAndItsScripts) {
  const SandboxedProgram program = SandboxOf(OnHost(), WorkerRole::kKernel);
  for (const char* folder : {"/scripts", "/opt/modules", "/opt/lib"}) {
    ASSERT_TRUE(BindAt(program, folder)) << folder;
    EXPECT_EQ(BindAt(program, folder)->from, folder);
    EXPECT_EQ(BindAt(program, folder)->access, BindMode::kReadOnly);
  }
  EXPECT_EQ(Variable(program, "PYTHONPATH"), "/opt/modules");
  EXPECT_EQ(Variable(program, "OMP_NUM_THREADS"), "3");
  EXPECT_TRUE(program.own_proc);
  EXPECT_TRUE(program.descriptors.empty());
}

// Nobody who is judged may write what another is shown.
TEST(WorkerSandboxTest, EachFolderHasOneWriter) {
  for (const WorkerRole role : kEveryRole) {
    const SandboxedProgram program = SandboxOf(OnHost(), role);
    EXPECT_EQ(BindAt(program, "/cache")->access, role == WorkerRole::kBuilder
                                                     ? BindMode::kWritable
                                                     : BindMode::kReadOnly);
    EXPECT_EQ(BindAt(program, "/provisions")->access,
              role == WorkerRole::kProvider ? BindMode::kWritable
                                            : BindMode::kReadOnly);
    for (const Bind& bind : program.binds) {
      if (bind.access != BindMode::kWritable) continue;
      EXPECT_TRUE(bind.to == "/cache" || bind.to == "/provisions") << bind.to;
    }
  }
}

TEST(WorkerSandboxTest, CompilersLookWhereTheCacheIs) {
  const SandboxedProgram program = SandboxOf(OnHost(), WorkerRole::kKernel);
  EXPECT_EQ(Variable(program, "TRITON_CACHE_DIR"), "/cache/triton");
  EXPECT_EQ(Variable(program, "TORCHINDUCTOR_CACHE_DIR"), "/cache/inductor");
  WorkerOptions without = OnHost();
  without.cache.clear();
  without.provided.clear();
  const SandboxedProgram bare = SandboxOf(without, WorkerRole::kKernel);
  EXPECT_FALSE(BindAt(bare, "/cache"));
  EXPECT_FALSE(BindAt(bare, "/provisions"));
  EXPECT_FALSE(Variable(bare, "TRITON_CACHE_DIR"));
}

TEST(WorkerSandboxTest, OnlyABuilderAndAProviderHaveCompilers) {
  for (const WorkerRole role : kEveryRole) {
    const bool has = BindAt(SandboxOf(OnHost(), role), "/bin").has_value();
    EXPECT_EQ(has,
              role == WorkerRole::kBuilder || role == WorkerRole::kProvider)
        << static_cast<int>(role);
  }
}

TEST(WorkerSandboxTest, OnlyAProblemSeesStoredFiles) {
  for (const WorkerRole role : kEveryRole) {
    const SandboxedProgram program = SandboxOf(OnHost(), role);
    EXPECT_EQ(BindAt(program, "/stored/0").has_value(),
              role == WorkerRole::kProblem);
    if (role != WorkerRole::kProblem) continue;
    EXPECT_EQ(BindAt(program, "/stored/0")->from, "/set/one");
    EXPECT_EQ(BindAt(program, "/stored/1")->from, "/set/two");
  }
}

// A tool needs more room than others; nobody else is put under it.
TEST(WorkerSandboxTest, OnlyAWatchedOneHasATool) {
  const SandboxedProgram watched = SandboxOf(OnHost(), WorkerRole::kWatched);
  EXPECT_EQ(Variable(watched, "TOOL"), "1");
  EXPECT_EQ(BindAt(watched, "/tool")->from, "/opt/tool");
  const SandboxedProgram other = SandboxOf(OnHost(), WorkerRole::kKernel);
  EXPECT_FALSE(Variable(other, "TOOL"));
  EXPECT_FALSE(BindAt(other, "/tool"));
  EXPECT_GT(watched.tmp_bytes, other.tmp_bytes);
}

TEST(WorkerSandboxTest, ImportsAreToldWhereThereAreSome) {
  WorkerOptions options = OnHost();
  EXPECT_FALSE(
      Variable(SandboxOf(options, WorkerRole::kProblem), "COPPICE_IMPORTS"));
  options.imports = "a.b c";
  EXPECT_EQ(
      Variable(SandboxOf(options, WorkerRole::kProblem), "COPPICE_IMPORTS"),
      "a.b c");
}

// "cpu:0" goes the way of a device, but there is none to be seen.
TEST(WorkerSandboxTest, OnTheHostNoDeviceIsShown) {
  for (const char* host : {"cpu", "cpu:0"}) {
    WorkerOptions options = OnHost();
    options.device = host;
    const SandboxedProgram program = SandboxOf(options, WorkerRole::kKernel);
    EXPECT_FALSE(Variable(program, "LD_PRELOAD"));
    for (const Bind& bind : program.binds) {
      EXPECT_THAT(bind.to, testing::Not(HasSubstr("nvidia")));
    }
  }
}

TEST(WorkerSandboxTest, OnADeviceWhoRunsCandidatesLendsItsMemory) {
  WorkerOptions options = OnHost();
  options.device = "cuda:0";
  options.gpu.emplace().uuid = "GPU-1";
  for (const WorkerRole role : kEveryRole) {
    const SandboxedProgram program = SandboxOf(options, role);
    EXPECT_EQ(Variable(program, "LD_PRELOAD").has_value(),
              role == WorkerRole::kKernel || role == WorkerRole::kBuilder);
    EXPECT_EQ(Variable(program, "CUDA_VISIBLE_DEVICES"), "GPU-1");
  }
  options.gpu.reset();
  EXPECT_FALSE(Variable(SandboxOf(options, WorkerRole::kKernel),
                        "CUDA_VISIBLE_DEVICES"));
}

TEST(WorkerSandboxTest, OnlyAKernelIsFiltered) {
  for (const WorkerRole role : kEveryRole) {
    const auto filter = FilterOf(OnHost(), role);
    ASSERT_TRUE(filter);
    const bool is_empty = lseek(filter->get(), 0, SEEK_END) == 0;
    EXPECT_EQ(is_empty, role != WorkerRole::kKernel) << static_cast<int>(role);
  }
}

}  // namespace
}  // namespace coppice::eval::torch
