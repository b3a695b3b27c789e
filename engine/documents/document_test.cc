#include "engine/documents/document.h"

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

TEST(DocumentTest, AnArrayIsPrintedAsIfItWereWhole) {
  nlohmann::ordered_json whole = nlohmann::ordered_json::array();
  for (int size = 0; size < 3; ++size) {
    std::ostringstream at_once;
    PrintDocument(whole, at_once);
    std::ostringstream in_parts;
    ArrayPrinter printer(in_parts);
    for (const auto& element : whole) printer.Add(element);
    printer.Finish();
    EXPECT_EQ(in_parts.str(), at_once.str());
    whole.push_back({{"size", size}, {"of", {"a\xff", "b\nc"}}});
  }
}

}  // namespace
}  // namespace coppice::cli
