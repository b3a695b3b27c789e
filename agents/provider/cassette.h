// A cassette: recorded model answers, one JSON object a line.
//
//   {"key": "<16 hex digits>", "request": {"role", "system", "user",
//    "temperature", "top_p", "max_output_tokens", "sample_index", "effort" if
//    one was asked for},
//    "provider", "model", "answer", "usage": {"input_tokens",
//    "cached_input_tokens", "output_tokens", and "cache_write_tokens",
//    "reasoning_tokens" if there are any}, "cost_usd" or null,
//    "fault" if the answer is not whole, "calls" if it calls tools, each
//    as three texts (id, name, arguments), "kept" if something is to be given
//    back with it}
//
// A conversation has the role "assistant", and its prompts are what
// agents/prompt/conversation.h has a model be told that knows no tools.
//
// `key` is the FNV-1a hash of the request's compact JSON, so that a line can be
// named; requests are matched in full, so that no collision can answer for
// another, or else, but for conversations, in all but what was measured, which
// differs from run to run.
// Text that is not UTF-8 is stored, and matched, with U+FFFD.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "agents/provider/model.h"
#include "store/records/result.h"

namespace coppice::agents {

// The request as compact JSON with sorted keys.
std::string CanonicalRequest(const ModelRequest& request);

std::string RequestKey(const std::string& canonical);

// The same without the numbers in the user's prompt, and the units of times
// after them, but with those in its source code, where each means something.
std::string WithoutMeasurements(const std::string& canonical);

// One line, newline included.
std::string CassetteLine(const ModelRequest& request, const Model& model,
                         const ModelAnswer& answer);

// By canonical request.  The last of equal requests wins: it is the one that a
// campaign went on from.
using Cassette = std::map<std::string, ModelAnswer>;

Result<Cassette> ReadCassette(const std::filesystem::path& path);

// "nearest is <key>, which differs first in user, line 7: ...".
std::string DescribeNearest(const Cassette& cassette,
                            const std::string& canonical);

}  // namespace coppice::agents
