// How many bytes each part of a prompt may have.  Sources that are worked on
// and what the planner asks for have no limit: an agent cannot work on a part.
#pragma once

#include <cstddef>

namespace coppice::agents {

struct PromptLimits {
  // The whole may have so many, where the root and the latest attempt together
  // have no more than `small_sources`.  The table of attempts and what other
  // attempts made share the room that the rest leaves.
  std::size_t prompt = 12'000;
  std::size_t small_sources = 4'500;
  // The table of attempts may have `table`, and `least_table` where there is no
  // room for that; in a line of it a technique and a failure have so many.
  std::size_t table = 1'800;
  std::size_t least_table = 700;
  std::size_t technique = 40;
  std::size_t failure = 100;
  std::size_t lessons = 1'200;  // Of the table of other campaigns' lessons.
  std::size_t wishes = 2'400;   // Of what people who steer want.
  // Parts of an attempt that is told in full: its plan, its log, what limits
  // it.
  std::size_t idea = 500;
  std::size_t log = 2'000;
  std::size_t profile = 1'500;
  std::size_t code = 1'400;  // What its compiler made of it.
  // One attempt that is told as a change, and all such.  All together have no
  // more than the sources that they are changes of.
  std::size_t change = 2'000;
  std::size_t changes = 6'000;
  std::size_t answer = 24'000;  // Of an answer that is to be repaired.
};

inline constexpr PromptLimits kLimitsOfV1 = {.idea = 1'500, .log = 4'000};

// What the parts of a prompt for a small kernel come to: the words of the
// templates, a task of some three inputs and workloads, a root of 1,000 bytes,
// a latest attempt of 2,300 with all that is told of it, the least of tables.
// What they leave is the rest of the table's, and other attempts'.
struct SmallPrompt {
  std::size_t system = 1'000;
  std::size_t same = 3'200;
  std::size_t table = 1'600;
  std::size_t latest = 5'000;
  std::size_t role = 1'200;
};

}  // namespace coppice::agents
