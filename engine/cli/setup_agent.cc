// coppice setup-agent: tells coding agents of `coppice mcp`, and how to use it.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <system_error>
#include <vector>

#include "config/keys.h"
#include "engine/cli/agent_entry.h"
#include "engine/cli/agent_files.h"
#include "engine/cli/output.h"
#include "engine/cli/verbs.h"
#include "engine/documents/table.h"
#include "engine/process/installation.h"
#include "eval/host/whole_file.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;

struct Agent {
  const char* option;
  const char* name;
  const char* file;  // Lists its servers.
  bool is_toml;
  const char* skills;  // A folder.
  const char* next;    // What the user does then.
};

constexpr std::array kAgents = {
    Agent{"claude", "Claude Code", ".mcp.json", false, ".claude/skills",
          "start `claude` here, and allow the server once"},
    Agent{"codex", "Codex", ".codex/config.toml", true, ".agents/skills",
          "start `codex` here; it reads this file in a folder that it trusts"},
    Agent{"cursor", "Cursor", ".cursor/mcp.json", false, ".cursor/skills",
          "open this folder in Cursor, and switch the server on in its "
          "settings"}};

constexpr std::array kSkills = {"coppice-optimise", "coppice-inspect"};

// A file as it shall be; without a text it is removed.
struct Planned {
  fs::path path;
  std::string before;
  std::string after;
  std::string about;  // "server coppice"
  std::string kept;   // Why it stays as it is, if it is not ours to change.

  bool Changes() const { return kept.empty() && before != after; }
};

// Empty: it is not there.
Result<std::string> TextOf(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::string();
  constexpr std::uintmax_t kMost = 10'000'000;
  auto text = eval::ReadWhole(path, kMost);
  if (text) return text;
  return Fail(Errc::kUsage, text.error().what);  // It names the file.
}

Result<Planned> PlanServer(const Agent& agent, const fs::path& folder,
                           const AgentEntry& entry, bool is_undone) {
  Planned planned;
  planned.path = folder / agent.file;
  planned.about = "server coppice";
  TRY_ASSIGN(planned.before, TextOf(planned.path));
  auto after = is_undone ? (agent.is_toml ? WithoutServerInToml(planned.before)
                                          : WithoutServerInJson(planned.before))
               : agent.is_toml ? WithServerInToml(planned.before, entry)
                               : WithServerInJson(planned.before, entry);
  if (!after) {
    std::string line = entry.command;
    for (const auto& argument : entry.arguments) line += " " + argument;
    return Fail(after.error().code,
                planned.path.string() + ": " + after.error().what +
                    "; nothing was changed; its command is: " + line);
  }
  planned.after = *std::move(after);
  return planned;
}

Result<Planned> PlanSkill(const fs::path& source, const fs::path& target,
                          bool is_undone) {
  Planned planned;
  planned.path = target;
  planned.about = "skill";
  TRY_ASSIGN(planned.before, TextOf(target));
  if (!planned.before.empty() && !IsAsSealed(planned.before)) {
    planned.kept = "it is not as it was made here";
  }
  if (is_undone) return planned;
  TRY(skill, eval::ReadWhole(source));
  planned.after = Sealed(skill);
  return planned;
}

Result<std::vector<Planned>> PlanFor(const Agent& agent, const fs::path& folder,
                                     const fs::path& data,
                                     const AgentEntry& entry, bool is_undone) {
  std::vector<Planned> plan;
  TRY(server, PlanServer(agent, folder, entry, is_undone));
  plan.push_back(std::move(server));
  for (const char* name : kSkills) {
    const fs::path file = fs::path(name) / "SKILL.md";
    TRY(skill, PlanSkill(data / "skills" / file, folder / agent.skills / file,
                         is_undone));
    plan.push_back(std::move(skill));
  }
  return plan;
}

// A link in a stranger's project may lead to the user's own files.
Result<void> CheckWithin(const fs::path& folder,
                         const std::vector<Planned>& plan) {
  std::error_code error;
  const fs::path top = fs::weakly_canonical(folder, error);
  for (const Planned& each : plan) {
    const fs::path real = fs::weakly_canonical(each.path, error);
    const auto [inside, beyond] =
        std::mismatch(top.begin(), top.end(), real.begin(), real.end());
    if (!error && inside == top.end()) continue;
    return Fail(Errc::kUsage, each.path.string() +
                                  ": leads out of the folder, to " +
                                  real.string() + "; nothing was changed");
  }
  return {};
}

// What is there of the folders above it can be written into.
Result<void> CheckWritable(const std::vector<Planned>& plan) {
  for (const Planned& each : plan) {
    if (!each.Changes()) continue;
    fs::path above = each.path.parent_path();
    std::error_code ignored;
    while (above.has_relative_path() && !fs::exists(above, ignored)) {
      above = above.parent_path();
    }
    if (fs::is_directory(above, ignored) &&
        ::access(above.c_str(), W_OK | X_OK) == 0) {
      continue;
    }
    return Fail(Errc::kUsage, above.string() +
                                  ": is no folder that you may write into; "
                                  "nothing was changed");
  }
  return {};
}

// With the folders above it that are left empty, up to `top`.
void Remove(const fs::path& path, const fs::path& top) {
  std::error_code ignored;
  fs::remove(path, ignored);
  for (fs::path above = path.parent_path();
       above != top && fs::is_empty(above, ignored) && !ignored;
       above = above.parent_path()) {
    fs::remove(above, ignored);
  }
}

Result<void> Do(const Planned& planned, const fs::path& top) {
  if (planned.after.empty()) {
    Remove(planned.path, top);
    return {};
  }
  TRY_DONE(MakeDirectory(planned.path.parent_path()));
  return WriteFile(planned.path, planned.after);
}

std::string ToldOf(const Planned& planned, bool is_rehearsal) {
  const std::string what =
      Printable(planned.path.string()) + " (" + planned.about + ")";
  if (!planned.kept.empty()) {
    return "left    " + what + ": " + planned.kept;
  }
  if (!planned.Changes()) return "as is   " + what;
  const bool is_removed = planned.after.empty();
  if (is_rehearsal) {
    return (is_removed ? "would remove " : "would write ") + what;
  }
  return (is_removed ? "removed " : "wrote   ") + what;
}

Result<std::vector<const Agent*>> AgentsOf(const Invocation& invocation) {
  std::vector<const Agent*> agents;
  for (const Agent& agent : kAgents) {
    if (invocation.Has(agent.option)) agents.push_back(&agent);
  }
  if (!agents.empty()) return agents;
  return Fail(Errc::kUsage,
              "say which agent: --claude, --codex or --cursor, or several");
}

Result<Exit> RunSetupAgent(const Invocation& invocation, Streams& streams) {
  TRY(agents, AgentsOf(invocation));
  std::error_code failed;
  const fs::path folder =
      fs::canonical(invocation.Text("directory").value_or("."), failed);
  if (failed || !fs::is_directory(folder, failed)) {
    return Fail(Errc::kUsage,
                invocation.Text("directory").value_or(".") + ": is no folder");
  }
  const bool is_undone = invocation.Has("undo");
  const bool is_rehearsal = invocation.Has("dry-run");
  const fs::path& data = invocation.surroundings.data_directory;
  const AgentEntry entry = EntryFor(invocation);
  // All is known to be possible before anything is written.
  std::vector<Planned> plan;
  for (const Agent* agent : agents) {
    TRY(more, PlanFor(*agent, folder, data, entry, is_undone));
    std::ranges::move(more, std::back_inserter(plan));
  }
  TRY_DONE(CheckWithin(folder, plan));
  TRY_DONE(CheckWritable(plan));
  for (const Planned& planned : plan) {
    if (planned.Changes() && !is_rehearsal) TRY_DONE(Do(planned, folder));
    streams.out << ToldOf(planned, is_rehearsal) << "\n";
  }
  if (is_undone) return Exit::kDone;
  for (const Agent* agent : agents) {
    streams.out << agent->name << ": " << agent->next << "\n";
  }
  return Exit::kDone;
}

}  // namespace

AgentEntry EntryFor(const Invocation& invocation) {
  std::error_code ignored;
  AgentEntry entry{engine::ExecutablePath().string(),
                   {"mcp", "--db",
                    fs::absolute(invocation.settings().db, ignored)
                        .lexically_normal()
                        .string()}};
  return entry;
}

Verb SetupAgentVerb() {
  return {
      .name = "setup-agent",
      .summary = "tell a project's coding agent of this program",
      .examples =
          "  coppice setup-agent --claude\n"
          "  coppice setup-agent --codex --cursor --dry-run\n"
          "  coppice setup-agent --claude --undo\n",
      .options = {{"claude", Takes::kNothing, "",
                   "Claude Code: .mcp.json and .claude/skills"},
                  {"codex", Takes::kNothing, "",
                   "Codex: .codex/config.toml and .agents/skills"},
                  {"cursor", Takes::kNothing, "",
                   "Cursor: .cursor/mcp.json and .cursor/skills"},
                  {"directory", Takes::kText, "DIRECTORY",
                   "the project's; by default this one"},
                  {"dry-run", Takes::kNothing, "", "writes nothing"},
                  {"undo", Takes::kNothing, "",
                   "takes away what this has written and nobody changed"}},
      .settings = config::NamesIn({config::Group::kDatabase}),
      .run = RunSetupAgent,
  };
}

}  // namespace coppice::cli
