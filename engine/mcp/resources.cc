#include "engine/mcp/resources.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "engine/http/request.h"
#include "engine/mcp/clean_text.h"
#include "engine/mcp/outgoing.h"
#include "store/records/joined.h"

namespace coppice::mcp {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::string_view kScheme = "coppice://";
constexpr std::string_view kPlain = "text/plain";
constexpr std::string_view kMarkdown = "text/markdown";

struct Template {
  const char* uri;
  const char* name;
  const char* description;
};

constexpr std::array kTemplates = {
    Template{"coppice://task/{task}/{part}", "task",
             "A part of a task: summary, reference, root, workloads or "
             "own_rule."},
    Template{"coppice://campaign/{campaign}/node/{node}/{part}", "node",
             "A part of a node: summary, source, diff, log or prompt."},
    Template{"coppice://job/{job}/log", "job log",
             "What compiling and running a judged kernel printed."},
    Template{"coppice://docs/{page}", "page",
             "A page of coppice's documents, by its name."}};

std::vector<std::string> PagesOf(const fs::path& folder) {
  std::vector<std::string> pages;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".md") {
      pages.push_back(entry->path().stem().string());
    }
  }
  std::ranges::sort(pages);
  return pages;
}

// Not every installation has pages, whose template is the last.
std::span<const Template> TemplatesOf(const Sources& sources) {
  const std::size_t without = PagesOf(sources.documents).empty() ? 1 : 0;
  return std::span(kTemplates).first(kTemplates.size() - without);
}

struct Found {
  std::string text;
  std::string_view type = kPlain;
  bool is_untrusted = false;
};

// "a/b%20c" as {"a", "b c"}; none: not well-formed.
std::optional<std::vector<std::string>> PartsOf(std::string_view path) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t slash = path.find('/');
    auto part = http::Decoded(path.substr(0, slash), false);
    if (!part || part->empty()) return std::nullopt;
    parts.push_back(*std::move(part));
    if (slash == path.npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

// Parts from `first` to before `end`, as they were before they were
// cut.
std::string Joined(const std::vector<std::string>& parts, std::size_t first,
                   std::size_t end) {
  std::string joined = parts[first];
  for (std::size_t i = first + 1; i < end; ++i) joined += "/" + parts[i];
  return joined;
}

// As much of a file as may be shown, and how long it is.
Result<std::string> FileText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file && !file.eof()) {
    return Fail(Errc::kNotFound, path.string() + ": cannot be read");
  }
  return text;
}

std::string TextField(const ordered_json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : std::string();
}

// The file that an answer names for its long text, else the text, else all.
Result<Found> FromAnswer(const std::string& answer, const char* file,
                         const char* text) {
  const ordered_json object =
      ordered_json::parse(Cleaned(answer), nullptr, false);
  if (!object.is_object()) {
    return Fail(Errc::kCorrupt, "the answer is no object");
  }
  if (const std::string path = TextField(object, file); !path.empty()) {
    TRY(whole, FileText(path));
    return Found{std::move(whole), kPlain, true};
  }
  if (std::string found = TextField(object, text); !found.empty()) {
    return Found{std::move(found), kPlain, true};
  }
  return Found{object.dump(2), "application/json", true};
}

Result<Found> ReadTask(const Sources& sources,
                       const std::vector<std::string>& parts) {
  const ordered_json request = {{"task", Joined(parts, 1, parts.size() - 1)},
                                {"part", parts.back()}};
  TRY(answer, sources.ask("describe_task", LineText(request)));
  return FromAnswer(answer, "text_file", "text");
}

Result<Found> ReadNode(const Sources& sources,
                       const std::vector<std::string>& parts) {
  const std::string& node = parts[parts.size() - 2];
  const bool is_number =
      node.find_first_not_of("0123456789") == node.npos && node.size() < 16;
  const ordered_json request = {
      {"campaign", Joined(parts, 1, parts.size() - 3)},
      {"node", is_number ? ordered_json(std::stoll(node)) : ordered_json(node)},
      {"part", parts.back()}};
  TRY(answer, sources.ask("get_node", LineText(request)));
  return FromAnswer(answer, "text_file", "text");
}

Result<Found> ReadJob(const Sources& sources,
                      const std::vector<std::string>& parts) {
  const ordered_json request = {{"job", parts[1]}, {"wait_s", 0}};
  TRY(answer, sources.ask("get_job", LineText(request)));
  return FromAnswer(answer, "log_file", "error_head");
}

Result<Found> ReadPage(const Sources& sources, const std::string& page) {
  const auto pages = PagesOf(sources.documents);
  // Only what is listed is opened, so no name leads out of the folder.
  if (std::ranges::find(pages, page) == pages.end()) {
    return Fail(Errc::kNotFound,
                "no page '" + page + "'; there are: " +
                    (pages.empty() ? "none in this installation"
                                   : coppice::Joined(pages, ", ")));
  }
  TRY(text, FileText(sources.documents / (page + ".md")));
  return Found{std::move(text), kMarkdown};
}

Result<Found> Read(const Sources& sources, std::string_view uri) {
  const auto parts = uri.starts_with(kScheme)
                         ? PartsOf(uri.substr(kScheme.size()))
                         : std::nullopt;
  const std::string kind = parts ? parts->front() : "";
  const std::size_t count = parts ? parts->size() : 0;
  if (kind == "schema" && count == 1) return Found{sources.schema};
  if (kind == "docs" && count == 2) return ReadPage(sources, parts->back());
  if (kind == "task" && count >= 3) return ReadTask(sources, *parts);
  if (kind == "job" && count == 3 && parts->back() == "log") {
    return ReadJob(sources, *parts);
  }
  if (kind == "campaign" && count >= 5 && (*parts)[count - 3] == "node") {
    return ReadNode(sources, *parts);
  }
  std::string all = "coppice://schema";
  for (const Template& one : TemplatesOf(sources))
    all += std::string(", ") + one.uri;
  return Fail(Errc::kNotFound,
              "no resource '" + std::string(uri) + "'; there are " + all);
}

}  // namespace

ordered_json ResourceList(const Sources& sources) {
  ordered_json resources = ordered_json::array();
  resources.push_back({{"uri", "coppice://schema"},
                       {"name", "schema"},
                       {"description",
                        "The views that the query tool asks, with what each "
                        "column means."},
                       {"mimeType", kPlain}});
  for (const std::string& page : PagesOf(sources.documents)) {
    resources.push_back({{"uri", "coppice://docs/" + page},
                         {"name", page},
                         {"mimeType", kMarkdown}});
  }
  return {{"resources", std::move(resources)}};
}

ordered_json ResourceTemplateList(const Sources& sources) {
  ordered_json templates = ordered_json::array();
  for (const Template& one : TemplatesOf(sources)) {
    templates.push_back({{"uriTemplate", one.uri},
                         {"name", one.name},
                         {"description", one.description}});
  }
  return {{"resourceTemplates", std::move(templates)}};
}

Result<ordered_json> ReadResource(const Sources& sources,
                                  std::string_view uri) {
  TRY(found, Read(sources, uri));
  const std::string text = Cleaned(found.text);
  ordered_json content = {{"uri", Cleaned(uri)},
                          {"mimeType", found.type},
                          {"text", HeadAndTail(text, kResourceBytes, "")}};
  if (found.is_untrusted) content["_meta"] = {{"coppice/untrusted", true}};
  ordered_json contents = ordered_json::array();
  contents.push_back(std::move(content));
  return ordered_json{{"contents", std::move(contents)}};
}

}  // namespace coppice::mcp
