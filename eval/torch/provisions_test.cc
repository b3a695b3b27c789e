#include "eval/torch/provisions.h"

#include <gtest/gtest.h>

namespace coppice::eval::torch {
namespace {

TEST(ToolsTest, OnlyThoseThatAreMentionedAndAreThere) {
  EXPECT_EQ(ToolsOf("y = x", "cuda:0"), Tools{});
  EXPECT_EQ(ToolsOf("import triton", "cuda:0"), Tools{.triton = true});
  EXPECT_EQ(ToolsOf("import triton", "cpu"), Tools{});
  EXPECT_EQ(ToolsOf("torch.compile(f)", "cpu"), Tools{.torch = true});
  for (const char* source :
       {"from torch import nn, compile\n", "self.net.compile()",
        "import torch as t\nf = t.compile(g)", "pre.compile(x)"}) {
    EXPECT_TRUE(ToolsOf(source, "cpu").torch) << source;
  }
  for (const char* source :
       {"re.compile('x')", "code = compile(text, '', 'exec')", "t.compiled(x)",
        "from torch import nn\ncompile(text, '', 'exec')"}) {
    EXPECT_FALSE(ToolsOf(source, "cpu").torch) << source;
  }
  // On a device it is Triton that torch compiles by.
  EXPECT_EQ(ToolsOf("torch.compile(f)", "cuda:0"),
            (Tools{.triton = true, .torch = true}));
}

}  // namespace
}  // namespace coppice::eval::torch
