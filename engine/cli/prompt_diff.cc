// coppice diff --prompts: what two agents of a role were told.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/cli/diff_text.h"
#include "engine/cli/prompt_text.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/open_history.h"
#include "engine/documents/or_null.h"
#include "engine/documents/table.h"
#include "store/read/trajectories.h"
#include "store/records/formatted.h"
#include "store/records/joined.h"
#include "store/records/unified_diff.h"
#include "store/write/campaigns.h"

namespace coppice::cli {
namespace {

// What one agent was told.
struct Told {
  std::string whose;  // "node 3".
  CallIntent asked;
  SentSampling sampling;
  std::optional<std::string> served_model;
  std::string template_hash;
  store::Ingredients of;
};

using Audience = std::map<Role, Told>;

std::string SamplingText(const SentSampling& sent) {
  const auto number = [](double value) { return Formatted("%.6g", value); };
  std::vector<std::string> parts;
  if (sent.temperature) {
    parts.push_back("temperature " + number(*sent.temperature));
  }
  if (sent.top_p) parts.push_back("top_p " + number(*sent.top_p));
  if (sent.effort) parts.push_back("effort " + *sent.effort);
  if (sent.max_output_tokens) {
    parts.push_back("at most " + std::to_string(*sent.max_output_tokens) +
                    " tokens");
  }
  return parts.empty() ? "none sent" : Joined(parts, ", ");
}

std::string ModelText(const Told& told) {
  std::string text = told.asked.provider + ":" + told.asked.model;
  if (told.served_model && *told.served_model != told.asked.model) {
    text += " (served by " + *told.served_model + ")";
  }
  return text;
}

std::string TemplatesText(const Told& told) {
  if (told.template_hash.empty()) return "none";
  constexpr std::size_t kShort = 12;  // So many digits tell a hash from others.
  return told.asked.template_set + " " + told.template_hash.substr(0, kShort);
}

// The text of each template, by the name of its file.
std::map<std::string, std::string> TemplatesOf(const std::string& texts) {
  constexpr std::string_view kHead = "==== ";
  std::map<std::string, std::string> by_name;
  std::string name;
  for (std::size_t at = 0; at < texts.size();) {
    const std::size_t end = std::min(texts.find('\n', at), texts.size() - 1);
    const std::string line = texts.substr(at, end + 1 - at);
    if (line.starts_with(kHead) && line.ends_with(".txt\n")) {
      name = line.substr(kHead.size(), line.size() - kHead.size() - 1);
      by_name[name];
    } else {
      by_name[name] += line;
    }
    at = end + 1;
  }
  return by_name;
}

// "; differ: plan.txt", or what only one of them needed.
std::string TemplatesThatDiffer(const Told& a, const Told& b) {
  const auto of_a = TemplatesOf(a.of.templates);
  const auto of_b = TemplatesOf(b.of.templates);
  std::map<std::string, std::vector<std::string>> lists;  // By heading.
  for (const auto& [name, text] : of_a) {
    const auto other = of_b.find(name);
    if (other == of_b.end()) {
      lists["only " + a.whose].push_back(name);
    } else if (other->second != text) {
      lists["differ"].push_back(name);
    }
  }
  for (const auto& [name, text] : of_b) {
    if (!of_a.contains(name)) lists["only " + b.whose].push_back(name);
  }
  std::string text;
  for (const auto& [heading, names] : lists) {
    text += "; " + heading + ": " + Joined(names, ", ");
  }
  return text;
}

std::string ShownText(const Told& told) {
  std::string text = Joined(told.of.shown, ", ", [](const WindowEntry& entry) {
    return std::to_string(Index(entry.node)) + " " +
           std::string(Name(entry.kinship));
  });
  if (text.empty()) text = "none";
  if (told.of.nodes_cut == 0) return text;
  return text + "; " + std::to_string(told.of.nodes_cut) + " cut";
}

// One line if they are the same.
void PrintFact(std::string_view name, const Told& a, const std::string& of_a,
               const Told& b, const std::string& of_b, Streams& streams) {
  if (of_a == of_b) {
    PrintField(streams, name, "both: " + of_a);
    return;
  }
  PrintField(streams, name, a.whose + ": " + of_a);
  PrintField(streams, "", b.whose + ": " + of_b);
}

void PrintHeading(Role role, const Told& a, const Told& b, Streams& streams) {
  streams.out << "==== " << Name(role) << " agent: " << a.whose << " against "
              << b.whose << "\n";
  PrintFact("model", a, ModelText(a), b, ModelText(b), streams);
  PrintFact("sampling", a, SamplingText(a.sampling), b,
            SamplingText(b.sampling), streams);
  const std::string differ = TemplatesThatDiffer(a, b);
  PrintFact("templates", a, TemplatesText(a), b, TemplatesText(b) + differ,
            streams);
  PrintFact("shown", a, ShownText(a), b, ShownText(b), streams);
}

std::string DiffOf(const Told& a, const Told& b, std::string_view part,
                   std::string CallIntent::*text, std::size_t context) {
  const std::string end = ", " + std::string(part);
  return UnifiedDiff({a.whose + end, a.asked.*text},
                     {b.whose + end, b.asked.*text}, context);
}

nlohmann::ordered_json ToldJson(const Told& told) {
  return {{"call", ToString(told.asked.uuid)},
          {"provider", told.asked.provider},
          {"model", told.asked.model},
          {"served_model", OrNull(told.served_model)},
          {"temperature", OrNull(told.sampling.temperature)},
          {"top_p", OrNull(told.sampling.top_p)},
          {"max_output_tokens", OrNull(told.sampling.max_output_tokens)},
          {"effort", OrNull(told.sampling.effort)},
          {"template_set", told.asked.template_set},
          {"template_hash", told.template_hash},
          {"window", WindowJson(told.of.shown)},
          {"nodes_cut", told.of.nodes_cut}};
}

// The last call of each role among those that are wanted.
class Audition {
 public:
  Audition(std::string whose, std::optional<Role> role,
           std::optional<Uuid> call)
      : whose_(std::move(whose)), role_(role), call_(call) {}

  bool Hear(const store::Trajectory& call) {
    const Role role = call.asked.role;
    if ((role_ && role != *role_) || (call_ && call.asked.uuid != *call_)) {
      return true;
    }
    told[role] = {whose_,
                  call.asked,
                  call.sampling,
                  call.served_model,
                  call.template_hash,
                  {}};
    ids[role] = call.id;
    return true;
  }

  Audience told;
  std::map<Role, CallId> ids;

 private:
  const std::string whose_;
  const std::optional<Role> role_;
  const std::optional<Uuid> call_;
};

struct Side {
  store::Database& database;
  std::optional<store::CampaignRow> campaign;  // Unset: only calls are named.
};

Result<Audience> ToldTo(const Side& place, const std::string& word,
                        std::optional<Role> role) {
  const std::optional<Uuid> call = ParseUuid(word);
  std::optional<Audition> listener;
  const auto hear = [&](const store::Trajectory& one) {
    return listener->Hear(one);
  };
  if (call) {
    listener.emplace("call " + word, role, call);
    TRY_DONE(store::ScanTrajectoriesWith(place.database, *call, hear));
  } else {
    TRY(node, ChooseNode(place.database, *place.campaign, word));
    listener.emplace(NodeText(node), role, std::nullopt);
    TRY_DONE(store::ScanTrajectoriesOf(place.database, place.campaign->id, node,
                                       hear));
  }
  for (auto& [of_role, told] : listener->told) {
    TRY_ASSIGN(told.of, store::ReadIngredients(place.database,
                                               listener->ids.at(of_role)));
  }
  return std::move(listener->told);
}

std::string RolesText(const Audience& told) {
  if (told.empty()) return "none";
  return Joined(told, ", ", [](const auto& one) { return Name(one.first); });
}

}  // namespace

Result<Exit> DiffPrompts(const Invocation& invocation, Streams& streams) {
  TRY_DONE(invocation.MustNotHave({"measure"}, "prompts are not measured"));
  const std::optional<Role> role = RoleOf(invocation);
  const std::string& first = invocation.arguments[0];
  const std::string& second = invocation.arguments[1];
  TRY(database, OpenToLook(invocation));
  Side place{database, std::nullopt};
  if (!ParseUuid(first) || !ParseUuid(second)) {
    TRY_ASSIGN(place.campaign, ChooseCampaign(invocation, streams, database));
  }
  TRY(of_a, ToldTo(place, first, role));
  TRY(of_b, ToldTo(place, second, role));
  const auto context =
      static_cast<std::size_t>(invocation.Count("context").value_or(3));
  nlohmann::ordered_json document = nlohmann::ordered_json::array();
  bool is_any = false;
  for (const auto& [each, a] : of_a) {
    const auto found = of_b.find(each);
    if (found == of_b.end()) continue;
    is_any = true;
    const Told& b = found->second;
    const std::string system =
        DiffOf(a, b, "system", &CallIntent::system_prompt, context);
    const std::string user =
        DiffOf(a, b, "user", &CallIntent::user_prompt, context);
    if (invocation.Has("json")) {
      document.push_back({{"role", Name(each)},
                          {"a", ToldJson(a)},
                          {"b", ToldJson(b)},
                          {"system_diff", system},
                          {"user_diff", user}});
      continue;
    }
    PrintHeading(each, a, b, streams);
    if (system.empty() && user.empty()) {
      streams.out << "the prompts are equal\n";
    }
    PrintDiff(system + user, streams);
  }
  if (!is_any) {
    return Fail(Errc::kUsage, "no agent of a role was asked for both: for " +
                                  first + " " + RolesText(of_a) + ", for " +
                                  second + " " + RolesText(of_b));
  }
  if (invocation.Has("json")) PrintDocument(document, streams.out);
  return Exit::kDone;
}

}  // namespace coppice::cli
