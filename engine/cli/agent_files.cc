#include "engine/cli/agent_files.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "store/records/hash.h"
#include "store/records/joined.h"
#include "store/records/trimmed.h"
#include "store/records/utf8.h"

namespace coppice::cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* kServers = "mcpServers";
constexpr const char* kName = "coppice";
constexpr std::string_view kSection = "mcp_servers.coppice";

tl::unexpected<Error> AnothersEntry() {
  return Fail(Errc::kUsage,
              "has a server 'coppice' that is not this program's: rename or "
              "remove it");
}

bool StartsUs(std::string_view command, std::string_view first) {
  return std::filesystem::path(command).filename() == kName && first == "mcp";
}

bool IsOurs(const ordered_json& entry) {
  const auto command = entry.is_object() ? entry.find("command") : entry.end();
  const auto arguments = entry.is_object() ? entry.find("args") : entry.end();
  return command != entry.end() && command->is_string() &&
         arguments != entry.end() && arguments->is_array() &&
         !arguments->empty() && arguments->front().is_string() &&
         StartsUs(command->get<std::string>(),
                  arguments->front().get<std::string>());
}

// An object, whose servers are an object if there are any.
Result<ordered_json> ReadServers(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == text.npos) {
    return ordered_json::object();
  }
  ordered_json document = ordered_json::parse(text, nullptr, false);
  if (document.is_discarded()) {
    return Fail(Errc::kUsage, "is no JSON without comments");
  }
  if (!document.is_object() ||
      (document.contains(kServers) && !document[kServers].is_object())) {
    return Fail(Errc::kUsage, "is no object with objects in mcpServers");
  }
  return document;
}

std::string Quoted(const std::string& text) {
  // JSON's escapes are all TOML's, too.
  return ordered_json(text).dump(-1, ' ', false,
                                 ordered_json::error_handler_t::replace);
}

std::vector<std::string> LinesIn(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

std::string JoinedLines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// "a.b" of "[ a . "b" ] # so"; empty: the line begins no table.
std::string TableOf(std::string_view line) {
  std::string name;
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == line.npos || line[begin] != '[') return name;
  for (const char c : line.substr(begin + 1)) {
    if (c == ']') return name;
    if (c != ' ' && c != '\t' && c != '"' && c != '\'') name += c;
  }
  return name;
}

// Whether it is not a heading that is cut off; values may have any lines, which
// in a list begin with a bracket, too.
bool IsTomlLine(std::string_view line) {
  if (!line.starts_with('[')) return true;
  return line.find(']') != line.npos ||
         line.find_first_of("\"',0123456789[", 1) != line.npos ||
         line.find_first_not_of(" \t\r[") == line.npos;
}

// The value of "key = value"; empty: it is another key's line.
std::string ValueOf(std::string_view line, std::string_view key) {
  const std::size_t equals = line.find('=');
  if (equals == line.npos || Trimmed(line.substr(0, equals)) != key) return "";
  return std::string(Trimmed(line.substr(equals + 1)));
}

struct TomlTable {
  std::size_t begin = 0;  // Its heading.
  std::size_t end = 0;    // The next heading, but for tables below it.
  std::size_t own = 0;    // Of its own lines.
  std::size_t command = 0;
  std::size_t arguments = 0;
  bool is_there = false;
};

bool IsBelow(std::string_view table) {
  return table.starts_with(std::string(kSection) + ".");
}

Result<TomlTable> FindTable(const std::vector<std::string>& lines) {
  TomlTable section;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!IsUtf8(lines[i])) {
      return Fail(Errc::kUsage, "line " + std::to_string(i + 1) +
                                    " is no TOML, which is UTF-8");
    }
    if (!IsTomlLine(lines[i])) {
      return Fail(Errc::kUsage, "line " + std::to_string(i + 1) +
                                    " is no TOML, a heading without its ]");
    }
    const std::string table = TableOf(lines[i]);
    if (table == kSection && !section.is_there) {
      section = {i, lines.size(), lines.size(), 0, 0, true};
      continue;
    }
    if (table.empty() && !section.is_there &&
        (!ValueOf(lines[i], "mcp_servers").empty() ||
         lines[i].find("mcp_servers.") < lines[i].find('='))) {
      return Fail(Errc::kUsage,
                  "says mcp_servers in a way that is left to you");
    }
    if (table.empty() || !section.is_there) continue;
    section.own = std::min(section.own, i);
    if (!IsBelow(table)) {
      section.end = i;
      break;
    }
  }
  if (!section.is_there) return section;
  for (std::size_t i = section.begin + 1; i < section.own; ++i) {
    if (!ValueOf(lines[i], "command").empty()) section.command = i;
    if (!ValueOf(lines[i], "args").empty()) section.arguments = i;
  }
  if (section.command == 0 || section.arguments == 0) return AnothersEntry();
  const auto command = ordered_json::parse(
      ValueOf(lines[section.command], "command"), nullptr, false);
  const auto arguments = ordered_json::parse(
      ValueOf(lines[section.arguments], "args"), nullptr, false);
  if (!IsOurs({{"command", command}, {"args", arguments}})) {
    return AnothersEntry();
  }
  return section;
}

constexpr std::string_view kSeal =
    "<!-- made by coppice setup-agent; remove this line to keep your changes: ";

std::string SealOf(std::string_view skill) {
  return std::string(kSeal) + std::to_string(Fnv1a(skill)) + " -->\n";
}

}  // namespace

Result<std::string> WithServerInJson(std::string_view text,
                                     const AgentEntry& entry) {
  TRY(document, ReadServers(text));
  ordered_json& ours = document[kServers][kName];
  if (!ours.is_null() && !IsOurs(ours)) return AnothersEntry();
  ours["type"] = "stdio";
  ours["command"] = entry.command;
  ours["args"] = entry.arguments;
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}

Result<std::string> WithoutServerInJson(std::string_view text) {
  TRY(document, ReadServers(text));
  if (!document.contains(kServers) || !document[kServers].contains(kName)) {
    return std::string(text);
  }
  if (!IsOurs(document[kServers][kName])) return AnothersEntry();
  document[kServers].erase(kName);
  if (document[kServers].empty()) document.erase(kServers);
  if (document.empty()) return std::string();
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}

Result<std::string> WithServerInToml(std::string_view text,
                                     const AgentEntry& entry) {
  std::vector<std::string> lines = LinesIn(text);
  TRY(section, FindTable(lines));
  const std::string command = "command = " + Quoted(entry.command);
  const std::string arguments =
      "args = [" + Joined(entry.arguments, ", ", Quoted) + "]";
  if (section.is_there) {
    lines[section.command] = command;
    lines[section.arguments] = arguments;
    return JoinedLines(lines);
  }
  if (!lines.empty() && !lines.back().empty()) lines.emplace_back();
  lines.push_back("[" + std::string(kSection) + "]");
  lines.push_back(command);
  lines.push_back(arguments);
  return JoinedLines(lines);
}

Result<std::string> WithoutServerInToml(std::string_view text) {
  std::vector<std::string> lines = LinesIn(text);
  TRY(section, FindTable(lines));
  if (!section.is_there) return std::string(text);
  const auto at = [&](std::size_t i) {
    return lines.begin() + static_cast<long>(i);
  };
  lines.erase(at(section.begin), at(section.end));
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return JoinedLines(lines);
}

std::string Sealed(std::string_view skill) {
  return std::string(skill) + SealOf(skill);
}

bool IsAsSealed(std::string_view text) {
  const std::size_t seal = text.rfind(kSeal);
  return seal != text.npos && text.substr(seal) == SealOf(text.substr(0, seal));
}

}  // namespace coppice::cli
