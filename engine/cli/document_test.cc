#include "engine/cli/document.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace coppice::cli {
namespace {

TEST(DocumentTest, WhatIsNoUtf8IsReplaced) {
  const nlohmann::ordered_json document = {{"path", "a\xff"}, {"n", 1}};
  EXPECT_EQ(LineOf(document), "{\"path\":\"a\xef\xbf\xbd\",\"n\":1}");
  std::ostringstream out;
  PrintDocument(document, out);
  EXPECT_EQ(out.str(), "{\n  \"path\": \"a\xef\xbf\xbd\",\n  \"n\": 1\n}\n");
}

}  // namespace
}  // namespace coppice::cli
