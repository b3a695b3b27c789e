#include "agents/provider/sse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace coppice::agents {
namespace {

using ::testing::ElementsAre;

// "type|data" of each event.
std::vector<std::string> EventsOf(const std::vector<std::string>& pieces) {
  SseParser parser;
  std::vector<std::string> events;
  for (const std::string& piece : pieces) {
    EXPECT_TRUE(parser.Feed(piece, [&](const SseEvent& event) {
      events.push_back(event.type + "|" + event.data);
    }));
  }
  return events;
}

TEST(SseTest, AnEventEndsAtABlankLine) {
  EXPECT_THAT(EventsOf({"data: a\n\nevent: stop\ndata: b\n\n"}),
              ElementsAre("|a", "stop|b"));
}

TEST(SseTest, LinesEndInAnyOfThreeWays) {
  EXPECT_THAT(EventsOf({"data: a\r\n\r\ndata: b\r\rdata: c\n\n"}),
              ElementsAre("|a", "|b", "|c"));
}

// Every cut of "\r\n", of a UTF-8 character and of a field's name.
TEST(SseTest, CutsMakeNoDifference) {
  const std::string stream =
      "event: x\r\ndata: \xC3\xA9\r\n\r\n: ping\r\ndata: 2\r\n\r\n";
  std::vector<std::string> bytes;
  for (const char c : stream) bytes.emplace_back(1, c);
  EXPECT_THAT(EventsOf(bytes), ElementsAre("x|\xC3\xA9", "|2"));
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    EXPECT_THAT(EventsOf({stream.substr(0, cut), stream.substr(cut)}),
                ElementsAre("x|\xC3\xA9", "|2"))
        << cut;
  }
}

TEST(SseTest, DataLinesAreJoined) {
  EXPECT_THAT(EventsOf({"data: a\ndata:\ndata: b\n\n"}),
              ElementsAre("|a\n\nb"));
}

TEST(SseTest, OneSpaceAfterTheColonIsDropped) {
  EXPECT_THAT(EventsOf({"data:a\n\ndata:  b\n\ndata\n\n"}),
              ElementsAre("|a", "| b", "|"));
}

TEST(SseTest, CommentsAndUnknownFieldsSayNothing) {
  EXPECT_THAT(EventsOf({": PROCESSING\n\nid: 7\nretry: 9\ndata: a\n\n"}),
              ElementsAre("|a"));
}

TEST(SseTest, AnEventWithoutDataIsNone) {
  EXPECT_THAT(EventsOf({"event: lone\n\ndata: a\n\n"}), ElementsAre("|a"));
}

TEST(SseTest, WhatIsCutOffIsNoEvent) {
  EXPECT_THAT(EventsOf({"data: a\n\ndata: b\n"}), ElementsAre("|a"));
  EXPECT_THAT(EventsOf({"", "\n\n"}), ElementsAre());
}

TEST(SseTest, AByteOrderMarkIsDropped) {
  EXPECT_THAT(EventsOf({"\xEF\xBB\xBF", "data: a\n\n"}), ElementsAre("|a"));
}

TEST(SseTest, AnEndlessEventIsRefused) {
  SseParser parser;
  const std::string megabyte(1 << 20, 'x');
  const SseParser::Take none = [](const SseEvent&) { FAIL(); };
  EXPECT_TRUE(parser.Feed("data: ", none));
  for (int i = 0; i < 15; ++i) EXPECT_TRUE(parser.Feed(megabyte, none));
  EXPECT_FALSE(parser.Feed(megabyte, none) && parser.Feed(megabyte, none));
  EXPECT_FALSE(parser.Feed("\n\n", none));
}

}  // namespace
}  // namespace coppice::agents
