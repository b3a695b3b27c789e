#include "eval/torch/trusted_preload.h"

#include <gtest/gtest.h>

namespace coppice::eval::torch {
namespace {

TEST(ToolsTest, OnlyThoseThatAreMentionedAndAreThere) {
  EXPECT_EQ(ToolsOf("y = x", "cuda:0"), MentionedCompilers{});
  EXPECT_EQ(ToolsOf("import triton", "cuda:0"),
            MentionedCompilers{.triton = true});
  EXPECT_EQ(ToolsOf("import triton", "cpu"), MentionedCompilers{});
  EXPECT_EQ(ToolsOf("torch.compile(f)", "cpu"),
            MentionedCompilers{.torch = true});
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
            (MentionedCompilers{.triton = true, .torch = true}));
}

TEST(ToolsTest, AWordMayEndTheSource) {
  EXPECT_FALSE(ToolsOf("", "cpu").torch);
  EXPECT_FALSE(ToolsOf("compile", "cpu").torch);
  EXPECT_TRUE(ToolsOf("f = torch.compile", "cpu").torch);
  EXPECT_TRUE(ToolsOf("import re\nre.compile('x')\nm.compile()", "cpu").torch);
  EXPECT_FALSE(ToolsOf("x.compile_it()\ny.compiled", "cpu").torch);
}

// "cpu:0" is judged as on a device, for tests.
TEST(ToolsTest, OnlyTheHostHasNoTriton) {
  EXPECT_FALSE(ToolsOf("import triton", "cpu").Any());
  EXPECT_TRUE(ToolsOf("import triton", "cpu:0").triton);
}

TEST(ToolsTest, AWorkerIsToldThem) {
  EXPECT_EQ(EquipOrder({.triton = true, .torch = false}, "cuda:0"),
            R"({"device":"cuda:0","torch":false,"triton":true})");
}

TEST(TrustedPreloadTest, WhereThereAreNoneNothingIsPut) {
  EXPECT_TRUE(TrustedPreload().PutInto("/nowhere"));
}

}  // namespace
}  // namespace coppice::eval::torch
