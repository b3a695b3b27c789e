// How many bytes each part of a prompt may have.  Sources that are shown whole
// and what the planner asks for have no limit: an agent cannot work on a part.
#pragma once

#include <cstddef>

namespace coppice::agents {

struct PromptLimits {
  // Of the table of attempts, and of a technique and a failure in a line of it.
  std::size_t table = 3200;
  std::size_t technique = 40;
  std::size_t failure = 100;
  std::size_t lessons = 1200;  // Of the table of other campaigns' lessons.
  // Of an attempt that is told in full: its plan, its log, what limits it.
  std::size_t idea = 1500;
  std::size_t log = 4000;
  std::size_t profile = 1500;
  std::size_t code = 2400;  // What its compiler made of it.
  // Of one attempt that is told as a change, and of all.  All together have no
  // more than the sources that they are changes of.
  std::size_t change = 2000;
  std::size_t changes = 6000;
  std::size_t answer = 24000;  // Of an answer that is to be repaired.
};

}  // namespace coppice::agents
