// JSON that a server is sent, and that it sent: nothing in that can be relied
// on.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "agents/prompt/reply.h"

namespace coppice::agents {

// Discarded (json::is_discarded) if it is no JSON, where U+FFFD stands for what
// is no character: bytes that are not UTF-8, a surrogate without its other
// half. Without what nests deeper than 32, which no reply needs and recursion
// would not survive.
nlohmann::json ParseReply(std::string_view body);

// An event of a stream.  What looks like an object and is none has lost a part
// of the answer, which the reply notes; other words are no part of it.
nlohmann::json ParseEvent(std::string_view data, Reply& reply);

// The member if there is such a one and it is not null, else null.
const nlohmann::json* Member(const nlohmann::json* object, const char* name);

// The value if it is a list, else an empty one.
const nlohmann::json& ListOf(const nlohmann::json* value);

// What a string or a whole number says; else empty.
std::string TextOf(const nlohmann::json* value);

// A member that counts something: 0 if it is none, negative, or beyond 2^53,
// where counts are not exact, nor counts of tokens.
std::int64_t CountOf(const nlohmann::json* object, const char* name);

// A member that says dollars; none if it says none.
std::optional<double> DollarsOf(const nlohmann::json* object, const char* name);

// Adds each count to a sum that stays exact in a double, as those of CountOf()
// are.
void AddUsage(const Usage& usage, Usage& sum);

// The usage as OpenAI's APIs state it: members `in` and `out`, and of each a
// part in `in`_details and `out`_details, never more than the whole.
void ReadTokens(const nlohmann::json& usage, const std::string& in,
                const std::string& out, Reply& reply);

// Notes the `model` that a reply, or a part of a streamed one, names.
void ReadModel(const nlohmann::json* reply, Reply& read);

// The fault that an object's `error` member tells; older servers send the fault
// itself.  None: there is none.
std::optional<WireFault> FaultIn(const nlohmann::json& reply);

// The arguments of a call, to be given back: an empty object if they are none,
// for servers refuse what is no JSON.
nlohmann::json SoundArguments(const std::string& arguments);

// What was kept of a model's message (Reply::kept), as a list.
nlohmann::json KeptItems(const std::string& kept);

// Sets a member, unless there is no value for it.
template <class Json, class Value>
void Put(Json& body, const char* name, const std::optional<Value>& value) {
  if (value) body[name] = *value;
}

// Compact, with U+FFFD for what is not UTF-8.
std::string DumpBody(const nlohmann::json& body);

}  // namespace coppice::agents
