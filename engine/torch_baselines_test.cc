#include "engine/torch_baselines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/scratch.h"

namespace coppice::engine {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

Task TorchTask(TaskFormat format) {
  Task task;
  task.format = format;
  task.definition.name = "level1_1_Twice";
  Solution& root = task.root;
  root.language = Language::kPython;
  root.entry_file = "main.py";
  root.entry_symbol = format == TaskFormat::kKernelBench ? "ModelNew" : "run";
  root.sources = {{"main.py", "twice"}};
  return task;
}

TEST(TorchBaselinesTest, AreStoredAsKernelBenchCallsThem) {
  EXPECT_EQ(StoredName(TorchBaseline::kEager), "torch");
  EXPECT_EQ(StoredName(TorchBaseline::kCompile),
            "torch_compile_inductor_default");
  EXPECT_EQ(StoredName(TorchBaseline::kMaxAutotune),
            "torch_compile_inductor_max-autotune");
}

TEST(TorchBaselinesTest, AListHasEachOnce) {
  EXPECT_THAT(store::Must(ParseTorchBaselines("compile,eager,compile")),
              ElementsAre(TorchBaseline::kEager, TorchBaseline::kCompile));
  EXPECT_THAT(store::Must(ParseTorchBaselines("all")), testing::SizeIs(3));
  EXPECT_THAT(store::Must(ParseTorchBaselines("none")), IsEmpty());
}

TEST(TorchBaselinesTest, AMistypedOneIsKnown) {
  EXPECT_EQ(ParseTorchBaselines("eager,max-autotun").error().what,
            "max-autotun: no such baseline; did you mean max-autotune?");
  EXPECT_EQ(ParseTorchBaseline("tensorrt").error().what,
            "tensorrt: no such baseline; there are eager, compile and "
            "max-autotune");
}

TEST(TorchBaselinesTest, EagerIsTheTasksOwnSource) {
  const Candidate eager = store::Must(
      CandidateOf(TorchBaseline::kEager, TorchTask(TaskFormat::kKernelBench)));
  EXPECT_EQ(eager.source, "twice");
  EXPECT_EQ(eager.entry_symbol, "ModelNew");
}

TEST(TorchBaselinesTest, AModelIsCompiledUnderItsOwnName) {
  const Candidate compiled = store::Must(CandidateOf(
      TorchBaseline::kMaxAutotune, TorchTask(TaskFormat::kKernelBench)));
  EXPECT_THAT(compiled.source, StartsWith("twice\n"));
  EXPECT_THAT(compiled.source, HasSubstr("class CompiledModel(ModelNew):"));
  EXPECT_THAT(compiled.source, HasSubstr("torch.compile"));
  EXPECT_THAT(compiled.source,
              EndsWith("self.compile(mode=\"max-autotune\")\n"));
  EXPECT_EQ(compiled.entry_symbol, "CompiledModel");
}

TEST(TorchBaselinesTest, AFunctionIsCompiledInItsPlace) {
  const Candidate compiled = store::Must(CandidateOf(
      TorchBaseline::kCompile, TorchTask(TaskFormat::kFlashInferBench)));
  EXPECT_THAT(compiled.source, StartsWith("twice\n"));
  EXPECT_THAT(compiled.source,
              EndsWith("run = _torch.compile(run, mode=\"default\")\n"));
  EXPECT_EQ(compiled.entry_symbol, "run");
}

TEST(TorchBaselinesTest, OtherTasksHaveNone) {
  Task task;
  task.definition.name = "gemm_square";
  const auto refused = CandidateOf(TorchBaseline::kEager, task);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUsage);
  EXPECT_EQ(refused.error().what,
            "gemm_square: is no task in PyTorch, which baselines of torch are "
            "of");
}

}  // namespace
}  // namespace coppice::engine
