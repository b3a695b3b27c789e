#include "engine/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/lessons.h"
#include "store/scratch.h"

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;

// y = f(x) of one axis of `elements`.
Task TaskNamed(const std::string& name, const std::string& operation,
               std::int64_t elements = 1024) {
  Task task;
  task.definition.name = name;
  task.definition.op_type = operation;
  task.definition.reference = "def run(x): " + name;
  task.definition.axes = {{"N", std::nullopt, std::nullopt}};
  task.definition.inputs = {
      {"x", std::vector<std::string>{"N"}, DType::kFloat32, std::nullopt}};
  task.definition.outputs = {
      {"y", std::vector<std::string>{"N"}, DType::kFloat32, std::nullopt}};
  task.workloads = {{"w", {{"N", elements}}, {}}};
  return task;
}

Lesson On(const Task& task, const std::string& technique) {
  Lesson lesson;
  lesson.task = TraitsOf(task);
  lesson.technique = technique;
  lesson.verdict = Verdict::kCrashed;
  lesson.uuid = Uuid{};
  return lesson;
}

std::vector<std::string> Techniques(const Result<std::vector<Lesson>>& near) {
  std::vector<std::string> techniques;
  for (const Lesson& lesson : near.value()) {
    techniques.push_back(lesson.IsNote() ? lesson.note : lesson.technique);
  }
  return techniques;
}

// Two tensors of 1024 elements are 2^11.
TEST(MemoryTest, TraitsTellWhatTasksAreAlikeIn) {
  const TaskTraits traits = TraitsOf(TaskNamed("softmax_rows", "softmax"));
  EXPECT_EQ(traits.operation, "softmax");
  EXPECT_EQ(traits.types, "float32 float32");
  EXPECT_DOUBLE_EQ(traits.log_elements.value(), 11.0);
  EXPECT_NE(traits.digest, TraitsOf(TaskNamed("other", "softmax")).digest);
}

TEST(MemoryTest, EvidenceOfTheTaskItselfIsLeftOutUnlessAskedFor) {
  const Task task = TaskNamed("softmax_rows", "softmax");
  Task renamed = task;
  renamed.definition.name = "another_name";
  Task changed = TaskNamed("softmax_rows", "softmax");
  changed.definition.reference = "other";
  const Memory memory({On(task, "a"), On(renamed, "b"), On(changed, "c"),
                       On(TaskNamed("log_softmax", "softmax"), "d")});
  EXPECT_THAT(Techniques(memory.NearTo(task, "", OfItself::kLeftOut)),
              ElementsAre("d"));
  EXPECT_EQ(memory.NearTo(task, "", OfItself::kUsed).value().size(), 4U);
}

TEST(MemoryTest, NearerTasksComeFirst) {
  const Task task = TaskNamed("softmax_rows", "softmax");
  Lesson elsewhere = On(TaskNamed("log_softmax", "softmax"), "elsewhere");
  elsewhere.hardware = "another";
  Task halves = TaskNamed("log_softmax", "softmax");
  halves.definition.inputs[0].dtype = DType::kFloat16;
  Task python = TaskNamed("log_softmax", "softmax");
  python.root.language = Language::kPython;
  const Memory memory(
      {On(TaskNamed("histogram", "histogram"), "histogram"),
       On(TaskNamed("log_softmax", "softmax", 1 << 20), "large"), elsewhere,
       On(halves, "halves"), On(python, "python"),
       On(TaskNamed("log_softmax", "softmax"), "near")});
  // 2^10 times as many elements weigh 2^(-10 / 8) = 0.42; other types, and
  // other hardware, 0.7 each.
  EXPECT_THAT(Techniques(memory.NearTo(task, "this", OfItself::kLeftOut)),
              ElementsAre("near", "elsewhere", "halves", "large", "histogram"));
}

TEST(MemoryTest, APersonsLinesComeFirstWhereTheyBelong) {
  const Task task = TaskNamed("softmax_rows", "softmax");
  Lesson any, here, other;
  any.note = "any";
  here.note = "here";
  here.task.operation = "softmax";
  other.note = "other";
  other.task.operation = "gemm";
  const Memory memory({On(TaskNamed("relu", "relu"), "a"), any, other, here});
  EXPECT_THAT(Techniques(memory.NearTo(task, "", OfItself::kLeftOut)),
              ElementsAre("any", "here", "a"));
}

TEST(MemoryTest, FilesAreNamedWithCommas) {
  config::Settings settings;
  EXPECT_TRUE(MemoryFiles(settings).value().empty());
  settings.memory = "a.db,library";
  EXPECT_EQ(MemoryFiles(settings).error().code, Errc::kUsage);
  const store::ScratchDirectory directory;
  settings.library = directory.File("memory.db").string();
  const auto nothing_kept = MemoryFiles(settings);
  ASSERT_FALSE(nothing_kept);
  EXPECT_THAT(nothing_kept.error().what, ::testing::HasSubstr("--remember"));
  store::NewFile(directory.File("memory.db"));
  EXPECT_THAT(MemoryFiles(settings).value(),
              ElementsAre("a.db", directory.File("memory.db")));
  settings.memory = "a.db,";
  EXPECT_EQ(MemoryFiles(settings).error().code, Errc::kUsage);
}

TEST(MemoryTest, AFileThatIsNoneIsNamed) {
  const std::vector<std::filesystem::path> files = {"/nowhere/x.db"};
  const auto memory = Memory::Load(files);
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code, Errc::kUsage);
  EXPECT_THAT(memory.error().what, ::testing::HasSubstr("/nowhere/x.db"));
}

// As a library is: it has no campaigns.
TEST(MemoryTest, WhatAFileKeepsIsLoaded) {
  const store::ScratchDirectory directory;
  {
    store::Database library = store::NewFile(directory.File("memory.db"));
    store::Must(store::AddNote(library, "use exp2", "softmax", "", 1.0));
  }
  const std::vector<std::filesystem::path> files = {
      directory.File("memory.db")};
  EXPECT_EQ(store::Must(Memory::Load(files)).all().size(), 1U);
}

}  // namespace
}  // namespace coppice::engine
