#include "agents/provider/cassette.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "agents/prompt/describe.h"
#include "store/records/hash.h"

namespace coppice::agents {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestLine = 80;  // Bytes of a line in an error.

std::string Dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json Optional(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

// Each call of a tool is so many texts: id, name, arguments.
constexpr std::size_t kWordsOfCall = 3;

// What a request says; prompts last, since what precedes them is shorter to
// tell.
constexpr const char* kMembers[] = {"role",  "sample_index",      "temperature",
                                    "top_p", "max_output_tokens", "system",
                                    "user"};
// A member that it has only if it says one.
constexpr const char* kEffort = "effort";

// What differs between two requests: fewer fields first, then the longer the
// start that their prompts share.
struct Difference {
  int fields = 0;
  std::size_t shared = 0;
  std::string first;  // In words.
};

std::string Excerpt(std::string_view text, std::size_t from) {
  const std::size_t end = std::min(text.find('\n', from), text.size());
  return "\"" +
         std::string(text.substr(from, std::min(end - from, kLongestLine))) +
         "\"";
}

// Names the first line in which two texts differ, and gives it of both.
std::string FirstLine(std::string_view asked, std::string_view stored) {
  const std::size_t same = static_cast<std::size_t>(
      std::ranges::mismatch(asked, stored).in1 - asked.begin());
  const std::string_view shared = asked.substr(0, same);
  const std::size_t newline = shared.rfind('\n');
  const std::size_t from = newline == std::string_view::npos ? 0 : newline + 1;
  const auto line = std::ranges::count(shared, '\n') + 1;
  return ", line " + std::to_string(line) + ": asked " + Excerpt(asked, from) +
         ", stored " + Excerpt(stored, from);
}

Difference Compare(const json& asked, const json& stored) {
  Difference difference;
  for (const char* field : kMembers) {
    const json& a = asked.at(field);
    const json& s = stored.at(field);
    if (a == s) continue;
    ++difference.fields;
    if (difference.fields > 1) continue;
    difference.first = field;
    if (a.is_string() && s.is_string()) {
      difference.first += FirstLine(a.get_ref<const std::string&>(),
                                    s.get_ref<const std::string&>());
    } else {
      difference.first += ": asked " + Dump(a) + ", stored " + Dump(s);
    }
  }
  const auto& user = asked.at("user").get_ref<const std::string&>();
  const std::string asked_effort = asked.value(kEffort, "none");
  const std::string stored_effort = stored.value(kEffort, "none");
  if (asked_effort != stored_effort && ++difference.fields == 1) {
    difference.first = std::string(kEffort) + ": asked " + asked_effort +
                       ", stored " + stored_effort;
  }
  difference.shared = static_cast<std::size_t>(
      std::ranges::mismatch(user,
                            stored.at("user").get_ref<const std::string&>())
          .in1 -
      user.begin());
  return difference;
}

// Nesting of a line: entry, request, a field.  What nests deeper is left
// out: it is no field, and recursion would not survive it.
bool Shallow(int depth, json::parse_event_t, const json&) { return depth < 3; }

// Throws json::exception if it is none.
std::int64_t Count(const json& value) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  const auto count = value.get_ref<const std::int64_t&>();
  return std::clamp<std::int64_t>(count, 0, kMost);
}

// 0 if there is no such member.
std::int64_t CountIfAny(const json& usage, const char* name) {
  return usage.contains(name) ? Count(usage.at(name)) : 0;
}

// Throws json::exception where a member is missing or of another type.
std::pair<std::string, ModelAnswer> ReadLine(std::string_view line) {
  const json entry = json::parse(line, &Shallow);
  json request;
  for (const char* field : kMembers) {
    request[field] = entry.at("request").at(field);
  }
  if (entry.at("request").contains(kEffort)) {
    request[kEffort] = entry.at("request").at(kEffort).get<std::string>();
  }
  for (const char* field : {"role", "system", "user"}) {
    (void)request[field].get_ref<const std::string&>();
  }
  const json& usage = entry.at("usage");
  ModelAnswer answer;
  answer.text = entry.at("answer").get<std::string>();
  answer.usage.input_tokens = Count(usage.at("input_tokens"));
  answer.usage.cached_input_tokens = Count(usage.at("cached_input_tokens"));
  answer.usage.output_tokens = Count(usage.at("output_tokens"));
  answer.usage.cache_write_tokens = CountIfAny(usage, "cache_write_tokens");
  answer.usage.reasoning_tokens = CountIfAny(usage, "reasoning_tokens");
  if (const json& cost = entry.at("cost_usd"); !cost.is_null()) {
    answer.cost_usd = cost.get<double>();
  }
  answer.fault = entry.value("fault", "");
  answer.kept = entry.value("kept", "");
  if (entry.contains("calls")) {
    const auto words = entry.at("calls").get<std::vector<std::string>>();
    for (std::size_t i = 0; i + kWordsOfCall <= words.size();
         i += kWordsOfCall) {
      answer.calls.push_back({words[i], words[i + 1], words[i + 2]});
    }
  }
  return {Dump(request), std::move(answer)};
}

// "4.02 ms" and "-1.5e-06" become "#"; "n512" stays.
std::string WithoutNumbers(std::string_view line) {
  constexpr std::string_view kUnits[] = {" ns", " us", " ms", " s"};
  std::string kept;
  for (std::size_t i = 0; i < line.size();) {
    const char last = kept.empty() ? ' ' : kept.back();
    const bool is_in_word =
        last == '_' || std::isalnum(static_cast<unsigned char>(last)) != 0;
    if (std::isdigit(static_cast<unsigned char>(line[i])) == 0 || is_in_word) {
      kept += line[i++];
      continue;
    }
    if (last == '-') kept.pop_back();
    kept += '#';
    i = std::min(line.find_first_not_of("0123456789.e+-", i), line.size());
    for (const std::string_view unit : kUnits) {
      if (line.substr(i).starts_with(unit)) i += unit.size();
    }
  }
  return kept;
}

void ReplaceAll(std::string_view from, std::string_view to, std::string& text) {
  for (std::size_t at = text.find(from); at != text.npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// Noise decides, too, whether a difference is told, and digits where a line is
// cut.
std::string WithoutMeasured(std::string_view line) {
  std::string text = WithoutNumbers(line);
  constexpr std::pair<std::string_view, std::string_view> kTellings[] = {
      {kNoDifference, "#x"},
      {", #x from its parent", ""},
      {"#x (too few rounds)", "#x"},
      {" (# % interval #)", ""},
      {" (#)", ""},
      {" as fast as the source", " from the source"},
      {"Nothing faster than the source to speed up was found so far.",
       "The fastest so far is node #: #x."}};
  for (const auto& [from, to] : kTellings) ReplaceAll(from, to, text);
  if (line.ends_with("...")) text.resize(text.rfind('|') + 1);  // None: all.
  return text;
}

}  // namespace

std::string WithoutMeasurements(const std::string& canonical) {
  json request = json::parse(canonical);
  std::istringstream lines(request.at("user").get<std::string>());
  std::string kept;
  std::string fence;  // That closes the block of source code we are in.
  for (std::string line; std::getline(lines, line); kept += '\n') {
    const std::size_t ticks =
        std::min(line.find_first_not_of('`'), line.size());
    if (!fence.empty()) {
      if (line == fence) fence.clear();
      kept += line;
    } else if (ticks >= 3 && line.size() > ticks &&
               line.substr(ticks) != "text") {  // Which a log is.
      fence = line.substr(0, ticks);
      kept += line;
    } else {
      kept += WithoutMeasured(line);
    }
  }
  request["user"] = kept;
  return Dump(request);
}

std::string CanonicalRequest(const ModelRequest& request) {
  const Conversation* conversation = request.conversation;
  const bool is_talk = conversation != nullptr;
  json canonical = {
      {"role", is_talk ? "assistant" : Name(request.role)},
      {"system", is_talk ? SpokenRules(*conversation) : request.system_prompt},
      {"user", is_talk ? SpokenMessages(*conversation) : request.user_prompt},
      {"temperature", Optional(request.sampling.temperature)},
      {"top_p", Optional(request.sampling.top_p)},
      {"max_output_tokens", request.sampling.max_output_tokens},
      {"sample_index", request.sample_index}};
  if (request.sampling.effort) canonical[kEffort] = *request.sampling.effort;
  return Dump(canonical);
}

std::string RequestKey(const std::string& canonical) {
  std::uint64_t hash = Fnv1a(canonical);
  std::string key(16, '0');
  for (std::size_t i = key.size(); i-- > 0; hash >>= 4) {
    key[i] = "0123456789abcdef"[hash & 15];
  }
  return key;
}

std::string CassetteLine(const ModelRequest& request, const Model& model,
                         const ModelAnswer& answer) {
  const std::string canonical = CanonicalRequest(request);
  json entry = {{"key", RequestKey(canonical)},
                {"request", json::parse(canonical)},
                {"provider", model.Provider()},
                {"model", model.ModelName()},
                {"answer", answer.text},
                {"usage",
                 {{"input_tokens", answer.usage.input_tokens},
                  {"cached_input_tokens", answer.usage.cached_input_tokens},
                  {"output_tokens", answer.usage.output_tokens}}},
                {"cost_usd", Optional(answer.cost_usd)}};
  const auto add = [&entry](const char* name, std::int64_t tokens) {
    if (tokens > 0) entry["usage"][name] = tokens;
  };
  add("cache_write_tokens", answer.usage.cache_write_tokens);
  add("reasoning_tokens", answer.usage.reasoning_tokens);
  if (!answer.fault.empty()) entry["fault"] = answer.fault;
  if (!answer.kept.empty()) entry["kept"] = answer.kept;
  for (const ToolCall& call : answer.calls) {
    for (const std::string& word : {call.id, call.name, call.arguments}) {
      entry["calls"].push_back(word);
    }
  }
  return Dump(entry) + "\n";
}

Result<Cassette> ReadCassette(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || !std::filesystem::is_regular_file(path)) {
    return Fail(Errc::kNotFound, path.string() + ": cannot be read");
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return Fail(Errc::kIo, path.string() + ": reading failed");
  Cassette cassette;
  int number = 1;
  std::size_t at = 0;
  for (std::size_t end = 0; (end = text.find('\n', at)) != std::string::npos;
       at = end + 1, ++number) {
    try {
      auto [request, answer] =
          ReadLine(std::string_view(text).substr(at, end - at));
      cassette.insert_or_assign(std::move(request), std::move(answer));
    } catch (const json::exception&) {  // It would quote the file.
      return Fail(Errc::kCorrupt, path.string() + ":" + std::to_string(number) +
                                      ": no recorded answer");
    }
  }
  return cassette;
}

std::string DescribeNearest(const Cassette& cassette,
                            const std::string& canonical) {
  if (cassette.empty()) return "the cassette is empty";
  const json asked = json::parse(canonical);
  std::string nearest;
  Difference least;
  for (const auto& [stored, answer] : cassette) {
    Difference difference = Compare(asked, json::parse(stored));
    if (nearest.empty() || difference.fields < least.fields ||
        (difference.fields == least.fields &&
         difference.shared > least.shared)) {
      nearest = RequestKey(stored);
      least = std::move(difference);
    }
  }
  return "nearest is " + nearest + ", which differs first in " + least.first;
}

}  // namespace coppice::agents
