// A tool that an agent called in its session.  It has a row before the tool is
// run and after it has answered, so that what was answered is not done again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/records/ids.h"
#include "store/records/names.h"

namespace coppice {

enum class SessionCallState : std::uint8_t {
  kBegun,     // It runs, or its process ended before it had answered.
  kAnswered,  // A kernel that fails is an answer, too.
  kRefused,   // The arguments were wrong, or the tool could not be run.
};
inline constexpr NameTable<3> kSessionCallStateNames = {"begun", "answered",
                                                        "refused"};
constexpr std::string_view Name(SessionCallState state) {
  return NameIn(kSessionCallStateNames, state);
}

struct SessionCall {
  SessionCallId id{};
  std::int64_t number = 1;  // 1, 2, ... within the session.
  std::string tool;
  std::string arguments;  // As JSON.
  SessionCallState state = SessionCallState::kBegun;
  std::string answer;       // As JSON; why not, if it was refused.
  std::int64_t starts = 1;  // How often the tool was begun.
};

}  // namespace coppice
