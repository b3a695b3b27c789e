// What becomes of outputs that are read where a candidate has them, through the
// whole evaluator: on "cpu:0", with files in the place of a device's memory.
// Needs a Python with PyTorch, and says so where there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/torch/interpreter.h"
#include "eval/torch/kernelbench.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"
#include "tests/chosen_python.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kTwice[] = R"(
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return 2 * x


def get_inputs():
    return [torch.rand(4, 6)]


def get_init_inputs():
    return []
)";

// Memory of a candidate's that is found by its address, as device_memory.cc
// finds torch's of a device.
constexpr char kPieces[] = R"(
import ctypes
import gc
import itertools
import mmap
import os
import struct

import torch
import torch.nn as nn


class Piece:
    numbers = itertools.count(1)
    kept = []

    def __init__(self):
        self.number = next(self.numbers)
        self.descriptor = os.memfd_create("piece")
        os.write(self.descriptor, bytes(4096))
        memory = mmap.mmap(self.descriptor, 4096)
        rows = torch.frombuffer(memory, dtype=torch.float32)
        self.rows = rows[: 40 * 24].view(40, 4, 6)
        self.kept.append(self)
        if len(self.kept) > 64:
            os.close(self.kept.pop(0).descriptor)


def find(address, into):
    for piece in Piece.kept:
        offset = address - piece.rows.data_ptr()
        if 0 <= offset < 4096:
            words = (offset, 4096, piece.number, piece.descriptor)
            ctypes.memmove(into, struct.pack("<4Q", *words), 32)
            return 1
    return 0


for one in gc.get_objects():
    if type(one).__name__ == "DeviceCalls":
        one.find = find


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = itertools.cycle(Piece().rows)
        self.row = next(self.rows)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
)";

class DeviceOutputsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.python = ChosenPython();
    options_.scripts = COPPICE_PYTHON_SCRIPTS;
    options_.threads = 1;
    options_.device = "cpu:0";
    options_.call_timeout_s = 5.0;
    const auto found = eval::torch::FindInterpreter(options_.python);
    if (!found) GTEST_SKIP() << found.error().what;
    folder_ = fs::path(testing::TempDir()) /
              ("device_outputs" + std::to_string(getpid())) / "level1";
    fs::create_directories(folder_);
    const fs::path file = folder_ / "1_Twice.py";
    std::ofstream(file) << kTwice;
    auto task = eval::LoadKernelBenchTask(options_, file, Protocol::kCoppice,
                                          Delegation::kAny);
    ASSERT_TRUE(task) << task.error().what;
    task_ = std::move(*task);
    auto evaluator = eval::MakePythonEvaluator(options_);
    ASSERT_TRUE(evaluator) << evaluator.error().what;
    evaluator_ = std::move(*evaluator);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_.parent_path());
  }

  // The verdict on who does so in each call, and its log.
  std::string Judge(const std::string& forward) {
    const auto evaluation = evaluator_->Evaluate(
        task_,
        {Language::kPython, std::string(kPieces) + "        " + forward + "\n",
         "ModelNew"},
        Tier::kFast);
    if (!evaluation) return evaluation.error().what;
    return std::string(Name(evaluation->verdict)) + ": " + evaluation->log;
  }

  eval::PythonEvaluatorOptions options_;
  fs::path folder_;
  Task task_;
  std::unique_ptr<eval::Evaluator> evaluator_;
};

TEST_F(DeviceOutputsTest, AreReadWhereTheyAre) {
  EXPECT_EQ(Judge("return torch.mul(x, 2, out=next(self.rows))"), "passed: ");
  EXPECT_THAT(Judge("return torch.mul(x, 3, out=next(self.rows))"),
              StartsWith("wrong_output: output y[0, 0]"));
}

TEST_F(DeviceOutputsTest, OfOneBufferAreCopied) {
  EXPECT_THAT(Judge("return torch.mul(x, 2, out=self.row)"),
              StartsWith("passed: its calls return the same memory"));
}

TEST_F(DeviceOutputsTest, InNewMemoryEachTimeAreSeenTooLate) {
  EXPECT_THAT(Judge("return torch.mul(x, 2, out=Piece().rows[0])"),
              StartsWith("inconclusive: outputs are in new memory each time"));
}

// Its first calls have returned the same buffer; the next one does not return.
TEST_F(DeviceOutputsTest, OfACallThatFailsAreNotAskedForAgain) {
  EXPECT_THAT(Judge("while self.calls == 3: pass\n"
                    "        return torch.mul(x, 2, out=self.row)"),
              StartsWith("timed_out: did not return within 5 s"));
  EXPECT_THAT(Judge("if self.calls == 3: raise ValueError('third')\n"
                    "        return torch.mul(x, 2, out=self.row)"),
              HasSubstr("ValueError: third"));
}

// Its rehearsals are of as many calls as are timed, its checks of fewer.
TEST_F(DeviceOutputsTest, OfWhoFailsWhenItIsToDoNothing) {
  const auto after_two_launches = [](const std::string& does) {
    return "for one in gc.get_objects():\n"
           "            if type(one).__name__ == 'DeviceCalls':\n"
           "                one.nothing = nothing\n"
           "        return 2 * x\n\n\n"
           "calls = [one for one in gc.get_objects()\n"
           "         if type(one).__name__ == 'DeviceCalls']\n"
           "old = calls[0].nothing\n\n\n"
           "def nothing(run, count, launches):\n"
           "    while launches == 2: " +
           does +
           "\n"
           "    return old(run, count, launches)\n";
  };
  EXPECT_THAT(Judge(after_two_launches("raise ValueError('not me')")),
              AllOf(StartsWith("crashed: "), HasSubstr("ValueError: not me")));
  EXPECT_THAT(Judge(after_two_launches("pass")),
              StartsWith("timed_out: did not return within 5 s"));
}

// A candidate is woken before its inputs are put in sight; the root's turn may
// have been before, on the same ones.  Unusual values may repeat, as there are
// few of them.
TEST_F(DeviceOutputsTest, AreOfInputsThatNobodyHasSeenBefore) {
  EXPECT_EQ(
      Judge("if self.calls == 1:\n"
            "            self.seen = []\n"
            "            for one in gc.get_objects():\n"
            "                if type(one).__name__ == 'Worker':\n"
            "                    one.kinds[7] = lambda *_, own=one: (\n"
            "                        self.seen.extend(\n"
            "                            x.tolist()\n"
            "                            for x, in own.device_calls.inputs))\n"
            "        if x.unique().numel() > 12 and x.tolist() in self.seen:\n"
            "            raise ValueError('seen')\n"
            "        return 2 * x"),
      "passed: ");
}

// Ended by its reading of a file that is shorter than it was.
TEST_F(DeviceOutputsTest, ThatEndTheProblemsProcessAreTheCandidatesCrash) {
  EXPECT_THAT(Judge("row = torch.mul(x, 2, out=next(self.rows))\n"
                    "        if self.calls == 12:\n"
                    "            file = Piece.kept[0].descriptor\n"
                    "            os.open(f'/proc/self/fd/{file}',\n"
                    "                    os.O_RDWR | os.O_TRUNC)\n"
                    "        return row"),
              StartsWith("crashed: the task itself fails beside it: "));
  EXPECT_EQ(Judge("return 2 * x"), "passed: ");
}

// A root that takes 5 ms is called once for a sample.  Launching a candidate
// once would be all of its time.
TEST_F(DeviceOutputsTest, OfAFastCandidateAreOfSeveralCalls) {
  const auto calls_of = [&](const std::string& root) {
    std::string problem = kTwice;
    const std::string plain = "        return 2 * x";
    problem.replace(problem.find(plain), plain.size(), root + plain);
    const fs::path file = folder_ / "2_Slow.py";
    std::ofstream(file) << "import time\n" << problem;
    const auto task = eval::LoadKernelBenchTask(
        options_, file, Protocol::kCoppice, Delegation::kAny);
    if (!task) return task.error().what;
    const auto evaluation = evaluator_->Evaluate(
        *task,
        {Language::kPython,
         std::string(kPieces) +
             "        return torch.mul(x, 2, out=next(self.rows))\n",
         "ModelNew"},
        Tier::kFast);
    if (!evaluation) return evaluation.error().what;
    if (evaluation->verdict != Verdict::kPassed) return evaluation->log;
    const auto calls = evaluation->workloads.at(0).readings.at(0).calls;
    return std::string(calls == 1 ? "one" : "several");
  };
  EXPECT_EQ(calls_of(""), "several");
  // In 40 ms that the root may take: 8 times, and once where it takes 41.
  // A machine with other work may make it late, but not each time.
  std::string some = "one";
  for (int i = 0; i < 5 && some == "one"; ++i) {
    some = calls_of("        time.sleep(0.005)\n");
  }
  EXPECT_EQ(some, "several");
  EXPECT_EQ(calls_of("        time.sleep(0.041)\n"), "one");
}

}  // namespace
}  // namespace coppice
