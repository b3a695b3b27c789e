// How agents are spoken to, and what is asked of a plan.
#pragma once

#include <cstdint>

namespace coppice::agents {

// What all agents are told first, beside their setting and the harness.
enum class SystemMessage : std::uint8_t {
  kOwn,  // How to reason from the machine; STARK's figure 5 by our lights.
  kV1,   // What STARK's alternate messages say (figures 6
  kV2,   // and 7), in our words.
};

enum class Grounding : std::uint8_t {
  // A plan marks the lines to change.  One that changes others as well is
  // recorded as not grounded, and used.
  kUsed,
  // Such a plan is refused, so that the fastest kernel is a grounded one
  // (STARK, algorithm 1, line 20).
  kRequired,
  kOff,  // Plans are words alone.
};

struct RequestOptions {
  SystemMessage system_message = SystemMessage::kOwn;
  Grounding grounding = Grounding::kUsed;
};

}  // namespace coppice::agents
