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

TEST(RedactionTest, ShortNamesAreNoNames) {
  const Redaction pc({.host = "pc", .user = "me", .home = ""});
  EXPECT_EQ(pc.OfRemark("me on pc: 12"), "me on pc: 12");
  const Redaction lab({.host = "lab", .user = "bob", .home = ""});
  EXPECT_EQ(lab.OfRemark("bob on lab, bob_2, label, lab2"),
            "[left out] on [left out], bob_2, label, lab2");
}

// What is longer by a letter is another folder; one below it is not.
TEST(RedactionTest, AFolderOfAnotherUserIsNotTheHomeFolder) {
  EXPECT_EQ(kOfAnn.OfSource("\"/home/anna/x.h\""), "\"/home/anna/x.h\"");
  EXPECT_EQ(kOfAnn.OfSource("/home/ann"), "[left out]");
  EXPECT_EQ(kOfAnn.OfSource("/home/ann:/home/ann/b"),
            "[left out]:[left out]/b");
}

TEST(RedactionTest, ANameMayStandAtBothEnds) {
  EXPECT_EQ(kOfAnn.OfRemark("ann"), "[left out]");
  EXPECT_EQ(kOfAnn.OfRemark("ann ann"), "[left out] [left out]");
  EXPECT_EQ(kOfAnn.OfRemark("annann ann"), "annann [left out]");
  EXPECT_EQ(kOfAnn.OfRemark(""), "");
  EXPECT_EQ(kOfAnn.OfSource(""), "");
}

// The part behind the last slash stays, however many there are.
TEST(RedactionTest, PathsEndWhereNoPathGoesOn) {
  struct Case {
    const char* text;
    const char* kept;
  };
  for (const Case& each : {
           Case{"in (/opt/a/b.cu)", "in (b.cu)"},
           Case{"/a/b,/c/d;/e/f", "b,d;f"},
           Case{"//server/share/x", "x"},
           Case{"'/tmp/\xc3\xa4/k.cc': no", "'k.cc': no"},
           Case{"-L/opt/lib -lm", "-Llib -lm"},
           Case{"ratio 3/4/5", "ratio 3/4/5"},
           Case{"/", "/"},
           Case{"a /", "a /"},
       }) {
    EXPECT_EQ(kOfAnn.OfRemark(each.text), each.kept) << each.text;
  }
}

// The user's name is no secret of a source: it may be a variable's.
TEST(RedactionTest, OnlyRemarksLoseTheUser) {
  EXPECT_EQ(kOfAnn.OfSource("int ann = 1;"), "int ann = 1;");
  EXPECT_EQ(kOfAnn.OfSource("// see /opt/cuda/x on lab7.example.org"),
            "// see /opt/cuda/x on [left out]");
}

// 20,000 lines of a compiler: none is passed over.
TEST(RedactionTest, AnEnormousRemarkLosesEveryPath) {
  std::string log;
  std::string kept;
  for (int i = 0; i < 20'000; ++i) {
    log += "/home/ann/build/" + std::to_string(i) + ".cc: note\n";
    kept += std::to_string(i) + ".cc: note\n";
  }
  EXPECT_EQ(kOfAnn.OfRemark(log), kept);
}

}  // namespace
}  // namespace coppice::engine
