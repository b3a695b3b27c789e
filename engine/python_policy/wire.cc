#include "engine/python_policy/wire.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "store/records/behaviour.h"
#include "store/records/verdict.h"

namespace coppice::engine {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kProtocol = "coppice-policy/1";
constexpr std::size_t kLongestReason = 500;  // Bytes.
constexpr std::size_t kShownOfALine = 200;

std::string Line(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// The shortest that reads back as the same number.
template <class Number>
void Append(std::string& text, Number number) {
  std::array<char, 32> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

void AppendRow(std::string& text, const NodeSummary& node) {
  node.parent ? Append(text, Index(*node.parent)) : void(text += "null");
  text += ',';
  Append(text, static_cast<int>(node.verdict));
  text += ',';
  node.runtime_s ? Append(text, *node.runtime_s) : void(text += "null");
  text += ',';
  Append(text, node.kernel_hash);
  text += ',';
  Append(text, (node.is_repeat ? 1 : 0) + (node.is_frozen ? 2 : 0));
  text += ',';
  node.log_hint ? Append(text, *node.log_hint) : void(text += "null");
  text += ',';
  Append(text, node.cost_s);
  text += ',';
  Append(text, static_cast<int>(node.behaviour.limit));
  text += ',';
  Append(text, static_cast<int>(node.behaviour.family));
}

tl::unexpected<Error> NoAnswer(const std::string& line) {
  return Fail(Errc::kCorrupt,
              "said what is no answer: " + line.substr(0, kShownOfALine));
}

// An object that tells of no failure.
Result<Json> Parse(const std::string& line) {
  Json message = Json::parse(line, nullptr, false);
  if (!message.is_object()) return NoAnswer(line);
  const auto error = message.find("error");
  if (error == message.end()) return message;
  return Fail(Errc::kUsage,
              error->is_string() ? error->get<std::string>() : error->dump());
}

std::optional<std::int64_t> NumberOf(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return {};
  if (found->is_number_unsigned() &&
      found->get<std::uint64_t>() >
          static_cast<std::uint64_t>(search::Eligibility::kNoLimit)) {
    return std::int64_t{search::Eligibility::kNoLimit};
  }
  return found->get<std::int64_t>();
}

// Empty if it is no text.
std::string TextOf(const Json& object, const char* key) {
  const auto found = object.find(key);
  const bool is_text = found != object.end() && found->is_string();
  return is_text ? found->get<std::string>() : "";
}

bool IsOneLine(const std::string& text) {
  return std::ranges::none_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

}  // namespace

std::string HelloLine(const PolicyFile& policy, double timeout_s) {
  return Line({{"op", "hello"},
               {"protocol", kProtocol},
               {"file", policy.file},
               {"class", policy.class_name},
               {"text", policy.text},
               {"timeout_s", timeout_s},
               {"verdicts", kVerdictNames},
               {"limits", kLimitNames},
               {"techniques", kTechniqueFamilyNames}});
}

std::string TreeLine() { return "{\"op\":\"tree\"}\n"; }

std::string FlightLine(bool begins, NodeId parent) {
  std::string line =
      begins ? "{\"op\":\"begin\",\"parent\":" : "{\"op\":\"end\",\"parent\":";
  Append(line, Index(parent));
  return line + "}\n";
}

std::string SelectLine(const RandomStream& stream,
                       std::optional<std::int64_t> attempts_left) {
  std::string line = "{\"op\":\"select\",\"decision\":";
  Append(line, stream.index());
  line += ",\"stream\":{\"seed\":";
  Append(line, stream.seed());
  line += ",\"purpose\":";
  Append(line, static_cast<std::uint32_t>(stream.purpose()));
  line += ",\"index\":";
  Append(line, stream.index());
  line += "}";
  if (attempts_left) {
    line += ",\"attempts_left\":";
    Append(line, *attempts_left);
  }
  return line + "}\n";
}

NodeLines::NodeLines(Kind kind) : kind_(kind) {}

void NodeLines::Add(const NodeSummary& node) {
  if (line_.empty()) {
    line_ = kind_ == Kind::kAdd ? "{\"op\":\"add\",\"nodes\":[["
                                : "{\"op\":\"quarantine\",\"nodes\":[[";
  } else {
    line_ += ",[";
  }
  if (kind_ == Kind::kQuarantine) {
    Append(line_, Index(node.id));
    line_ += ',';
  }
  AppendRow(line_, node);
  line_ += ']';
}

std::string NodeLines::Take() {
  if (line_.empty()) return "";
  return std::exchange(line_, "") + "]}\n";
}

Result<PolicyTraits> ParseHello(const std::string& line) {
  TRY(message, Parse(line));
  const auto protocol = message.find("protocol");
  if (protocol == message.end() || *protocol != kProtocol) {
    return NoAnswer(line);
  }
  PolicyTraits traits;
  const auto rule = message.find("rule");
  if (rule != message.end() && rule->is_object()) {
    const auto most = [&](const char* key) {
      return static_cast<int>(std::clamp<std::int64_t>(
          NumberOf(*rule, key).value_or(search::Eligibility::kNoLimit), 0,
          search::Eligibility::kNoLimit));
    };
    traits.rule = {most("max_root_children"), most("max_failing_children")};
  }
  const auto ahead = message.find("looks_ahead");
  traits.looks_ahead = ahead != message.end() && *ahead == true;
  traits.place = TextOf(message, "place");
  traits.suspects = TextOf(message, "suspects");
  return traits;
}

Result<ChildChoice> ParseChoice(const std::string& line) {
  TRY(message, Parse(line));
  const auto node = NumberOf(message, "node");
  const auto reason = message.find("reason");
  if (!node || reason == message.end() || !reason->is_string()) {
    return NoAnswer(line);
  }
  ChildChoice choice{*node, reason->get<std::string>(),
                     NumberOf(message, "mate")};
  if (choice.reason.size() > kLongestReason || !IsOneLine(choice.reason)) {
    return Fail(Errc::kUsage, "its reason is more than one line of " +
                                  std::to_string(kLongestReason) + " bytes");
  }
  return choice;
}

}  // namespace coppice::engine
