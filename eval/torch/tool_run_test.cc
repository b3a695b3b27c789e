#include "eval/torch/tool_run.h"

#include <gtest/gtest.h>

namespace coppice::eval::torch {
namespace {

// What is torch's is not looked at by any tool.
TEST(ToolRunTest, OnlyCompiledCodeOfItsOwnIsLookedAt) {
  for (const char* device : {"cpu", "cpu:0", "cuda:0"}) {
    EXPECT_FALSE(HasOwnCode("", device));
    EXPECT_FALSE(HasOwnCode("y = torch.relu(x)", device));
    EXPECT_TRUE(HasOwnCode("from torch.utils.cpp_extension import load_inline",
                           device));
    EXPECT_TRUE(HasOwnCode("_entry = _load_solution(", device));
  }
}

TEST(ToolRunTest, SomeCompilersAreThereOnADeviceOnly) {
  for (const char* source :
       {"import triton", "torch.cuda._compile_kernel(s)"}) {
    EXPECT_FALSE(HasOwnCode(source, "cpu")) << source;
    EXPECT_TRUE(HasOwnCode(source, "cuda:1")) << source;
  }
}

}  // namespace
}  // namespace coppice::eval::torch
