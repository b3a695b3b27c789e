// A message of a client's, as it was read.
//
// The protocol has two eras.  Up to 2025-11-25 a client shakes hands first
// (`initialize`); since 2026-07-28 each request says its version itself.  So a
// server that speaks both decides for each message, by whether it says one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace coppice::mcp {

// Codes of JSON-RPC 2.0, and those that the protocol has added.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kUnsupportedVersion = -32022;

struct Incoming {
  // As JSON, to be sent back as it came: `7` or `"a"`.  Empty: a notification,
  // which nobody answers.
  std::string id{};
  std::string method{};

  // Members of _meta.
  std::optional<std::string> version{};  // If there is one, it is modern.
  bool has_capabilities = false;
  std::string client{};          // What it calls itself; may be empty.
  std::string progress_token{};  // As JSON.  Empty: it wants no progress.

  // Members of params, where the method has such.
  std::string name{};       // Of a tool or prompt.
  std::string arguments{};  // A tool's: JSON of an object.
  std::map<std::string, std::string, std::less<>>
      words{};  // A prompt's arguments.
  std::string uri{};
  std::string cursor{};
  std::string cancelled{};  // The id of the request that is, as JSON.
  std::string offered{};    // The version of `initialize`.

  bool IsModern() const { return version.has_value(); }
  bool IsNotification() const { return id.empty(); }
};

// Why a message is none, for its sender.
struct Mistake {
  int code;
  std::string message;
  std::string id{};  // Empty where it could not be read.
};

inline constexpr std::size_t kMessageBytes = 1'000'000;

// What an object has beside what is known is passed over.  An answer of a
// client's, for which we never ask, is a notification without a method.
tl::expected<Incoming, Mistake> ReadMessage(std::string_view text);

}  // namespace coppice::mcp
