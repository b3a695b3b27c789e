// Our own failures.  What a kernel did is a Verdict (verdict.h), never an
// Error: the two vocabularies do not mix.
//
// A function that can fail returns Result<T>.  `Errc` is chosen by what the
// caller can do about it; `what` puts the thing first: "runs.db: disk full".
// No exception crosses a library's edge.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace coppice {

enum class Errc : std::uint8_t {
  kUsage,        // The caller asked for something malformed: exit code 2.
  kNotFound,     // A named thing does not exist.
  kBusy,         // Somebody else holds it; trying again may succeed.
  kTimeout,      // A deadline passed.
  kUnavailable,  // A tool, sandbox primitive, device or service is missing.
  kCorrupt,      // Stored or received bytes are not what they should be.
  kIo,           // The operating system refused: permission, a bad disk, ...
  kCancelled,    // The user asked us to stop.
  kSpent,        // A cap on tokens or money would be passed: raise it.
  kUnanswered,   // A model gave no answer in its time; it may later.
  kFull,         // A disk or quota is full; with room it may succeed.
  kLost,         // Another process has taken the attempt over: drop it.
  kUnfit,        // A task measures nothing, or takes more than there is here.
};

struct Error {
  Errc code;
  std::string what;
};

template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> Fail(Errc code, std::string what) {
  return tl::unexpected<Error>(Error{code, std::move(what)});
}

}  // namespace coppice

// TRY(plan, planner.Propose(context));  declares `plan`, or returns the error.
#define TRY(name, expression)                  \
  auto name##_result = (expression);           \
  if (!name##_result) {                        \
    return ::tl::unexpected<::coppice::Error>( \
        std::move(name##_result).error());     \
  }                                            \
  auto name = std::move(*name##_result)

// TRY_ASSIGN(task.root, ReadSolution(place));  assigns it, or returns the
// error.
#define TRY_ASSIGN(place, expression)            \
  do {                                           \
    auto assigned_result = (expression);         \
    if (!assigned_result) {                      \
      return ::tl::unexpected<::coppice::Error>( \
          std::move(assigned_result).error());   \
    }                                            \
    place = std::move(*assigned_result);         \
  } while (false)

// TRY_DONE(store.Commit(node));  for Result<void>.
#define TRY_DONE(expression)                             \
  do {                                                   \
    if (auto done_result = (expression); !done_result) { \
      return ::tl::unexpected<::coppice::Error>(         \
          std::move(done_result).error());               \
    }                                                    \
  } while (false)
