#include "engine/tools/redaction.h"

#include <gtest/gtest.h>

namespace coppice::engine {
namespace {

const Redaction kOfAnn({.host = "lab7.example.org",
                        .user = "ann",
                        .home = "/home/ann/"});

TEST(RedactionTest, OfAPathTheLastPartStays) {
  EXPECT_EQ(kOfAnn.OfRemark("/tmp/x/kernel.cc:3:4: error: no 'y'"),
            "kernel.cc:3:4: error: no 'y'");
  EXPECT_EQ(kOfAnn.OfRemark("File \"/usr/lib/python3/a.py\", line 3"),
            "File \"a.py\", line 3");
  EXPECT_EQ(kOfAnn.OfRemark("https://lab7.example.org:8000/v1"),
            "https://[left out]:8000/v1");
}

TEST(RedactionTest, APathMayFollowAnOption) {
  EXPECT_EQ(kOfAnn.OfRemark("-O3 -I/opt/x/include --root=/a/b"),
            "-O3 -Iinclude --root=b");
  EXPECT_EQ(kOfAnn.OfSource("-I/home/ann/x"), "-I[left out]/x");
}

TEST(RedactionTest, WhatIsNoPathStays) {
  for (const char* text :
       {"a/b/c", "x = a / b;  // half", "//@ tune 16 32", "and/or", "1/2",
        "y[i] /= 2", "/x", "root", "node 3 of gemm"}) {
    EXPECT_EQ(kOfAnn.OfRemark(text), text);
  }
}

TEST(RedactionTest, NamesOfHostUserAndHomeGo) {
  EXPECT_EQ(kOfAnn.OfRemark("ann@lab7.example.org said"),
            "[left out]@[left out] said");
  EXPECT_EQ(kOfAnn.OfRemark("annotated, channel"), "annotated, channel");
  EXPECT_EQ(kOfAnn.OfSource("#include \"/home/ann/mine.h\"  // ann"),
            "#include \"[left out]/mine.h\"  // ann");
}

TEST(RedactionTest, KeysGoFromSourcesToo) {
  const std::string key = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz";
  EXPECT_EQ(kOfAnn.OfSource("// " + key).find(key), std::string::npos);
}

TEST(RedactionTest, NamesThatSayNothingStay) {
  const Redaction nobody({.host = "localhost", .user = "root", .home = "/"});
  EXPECT_EQ(nobody.OfRemark("the root on localhost, a / b"),
            "the root on localhost, a / b");
}

}  // namespace
}  // namespace coppice::engine
