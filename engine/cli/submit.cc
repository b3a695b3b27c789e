// coppice submit TASK|CAMPAIGN FILE...: kernels that people wrote, judged like
// any candidate and kept with their author.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "config/keys.h"
#include "engine/campaign/display.h"
#include "engine/campaign/outage_listener.h"
#include "engine/cli/campaign_options.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/open_to_write.h"
#include "engine/cli/verbs.h"
#include "engine/documents/continuing.h"
#include "engine/documents/document.h"
#include "engine/documents/kernel_file.h"
#include "engine/documents/measured_json.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/open_history.h"
#include "engine/documents/or_null.h"
#include "engine/documents/row_sheet.h"
#include "engine/documents/table.h"
#include "engine/factory/campaign_factory.h"
#include "engine/run/import.h"
#include "engine/run/submission.h"
#include "store/read/history.h"
#include "store/records/speedup_text.h"
#include "store/write/campaigns.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kSubmissions = ".submissions";
constexpr std::size_t kMostOfAuthor = 80;

// Where kernels go.
struct Target {
  Task task;
  std::string campaign;
};

// What became of one of them.
struct Submitted {
  store::ClaimLine claim;
  std::string file;  // As the user named it.
  bool is_new = false;
  std::optional<store::Rank> rank;
  std::optional<Speedup> leader_over;  // The leader's speed over it.
  NodeId leader{};
  std::string log;
};

// An option that stands for a person's line in tables and files.
Result<std::string> AuthorOf(const Invocation& invocation) {
  std::string author = invocation.Text("author").value_or("");
  if (author != OneLine(author)) {
    return Fail(Errc::kUsage, "--author: has control characters");
  }
  if (DisplayWidth(author) > kMostOfAuthor) {
    return Fail(Errc::kUsage, "--author: is longer than " +
                                  std::to_string(kMostOfAuthor) +
                                  " characters");
  }
  return author;
}

std::optional<store::CampaignSpec> CampaignHere(const Invocation& invocation,
                                                const std::string& name) {
  auto database = OpenToLook(invocation);
  if (!database) return std::nullopt;
  const auto row = store::Campaigns(*database).Find(name);
  return row ? std::optional(row->spec) : std::nullopt;
}

// A campaign of that name; otherwise the task's campaign of submissions.
Result<Target> FindTarget(const Invocation& invocation,
                          engine::CampaignFactory& factory) {
  const std::string& word = invocation.arguments.front();
  if (const auto campaign = CampaignHere(invocation, word)) {
    TRY(task, factory.TaskOf(*campaign));
    return Target{std::move(task), campaign->name};
  }
  auto task = factory.FindTask(word);
  if (!task) {
    Error error = std::move(task).error();
    error.what += "; nor has " + invocation.settings().db.string() +
                  " a campaign of that name";
    return tl::unexpected<Error>(std::move(error));
  }
  // The name of a file's task is shorter than the path to it.
  const std::string name = task->definition.name + std::string(kSubmissions);
  return Target{*std::move(task), name};
}

Result<std::vector<store::Claim>> ReadKernels(const Invocation& invocation,
                                              const Task& task,
                                              const std::string& author,
                                              std::istream& in) {
  if (std::ranges::count(invocation.arguments, "-") > 1) {
    return Fail(Errc::kUsage, "-: standard input can be read but once");
  }
  std::vector<store::Claim> claims;
  for (std::size_t i = 1; i < invocation.arguments.size(); ++i) {
    const std::string& file = invocation.arguments[i];
    TRY(kernel, ReadKernel(file, task, in));
    const bool is_empty = std::ranges::all_of(
        kernel.source, [](unsigned char c) { return std::isspace(c) != 0; });
    if (is_empty) return Fail(Errc::kUsage, file + ": holds no kernel");
    store::Claim claim;
    claim.candidate = std::move(kernel);
    claim.origin = file == "-" ? "standard input"
                               : OneLine(fs::path(file).filename().string());
    claim.author = author;
    claims.push_back(std::move(claim));
  }
  return claims;
}

Result<std::vector<Submitted>> LookAt(const Invocation& invocation,
                                      store::Database& database,
                                      CampaignId campaign,
                                      const engine::Submission& submission,
                                      std::int64_t newest_before) {
  TRY(leaders, store::ReadLeaders(database, campaign, 1));
  std::vector<Submitted> all;
  for (std::size_t i = 0; i < submission.lines.size(); ++i) {
    Submitted judged;
    judged.claim = submission.lines[i];
    judged.file = invocation.arguments.at(i + 1);
    judged.is_new = judged.claim.id > newest_before;
    if (judged.claim.node) {
      TRY_ASSIGN(judged.rank,
                 store::ReadRank(database, campaign, *judged.claim.node));
      if (judged.claim.verdict != Verdict::kPassed) {
        TRY_ASSIGN(judged.log,
                   store::ReadLog(database, campaign, *judged.claim.node));
      }
    }
    if (judged.claim.speedup && !leaders.empty()) {
      judged.leader = leaders.front().line.node;
      judged.leader_over =
          Over(*leaders.front().line.speedup, *judged.claim.speedup);
    }
    all.push_back(std::move(judged));
  }
  return all;
}

std::string RankText(const Submitted& judged) {
  if (!judged.rank) return "";
  return std::to_string(judged.rank->place) + " of " +
         std::to_string(judged.rank->of);
}

// How it stands to the one that leads.
std::string LeaderText(const Submitted& judged) {
  if (!judged.leader_over) return "";
  if (judged.rank && judged.rank->place == 1) return "leads";
  const std::string leader = NodeText(judged.leader);
  return judged.leader_over->Sign() == 0 ? "not told from " + leader
                                         : "slower than " + leader;
}

// The first lines of what its judge said.
void PrintLog(const Submitted& judged, Streams& streams) {
  constexpr int kMostLines = 12;
  if (judged.log.empty()) return;
  streams.out << "\n" << OneLine(judged.file) << ":\n";
  std::size_t at = 0;
  for (int line = 0; line < kMostLines && at < judged.log.size(); ++line) {
    const std::size_t end =
        std::min(judged.log.find('\n', at), judged.log.size());
    streams.out << "  " << Printable(judged.log.substr(at, end - at)) << "\n";
    at = end + 1;
  }
  if (at >= judged.log.size()) return;
  streams.out << "  ... `coppice show " << Index(*judged.claim.node)
              << "` has all of it\n";
}

Json LeaderJson(const Submitted& judged) {
  if (!judged.leader_over) return nullptr;
  Json json = ComparisonJson(*judged.leader_over);
  json["node"] = Index(judged.leader);
  return json;
}

RowSheet SheetOf(const std::vector<Submitted>& all) {
  RowSheet sheet{
      "kernels",
      {RowColumn("kernel", "file"), ForPrograms("origin"),
       ForPrograms("author"), ForPrograms("new"), ForPeople("verdict"),
       ForPeople(Right(kSpeedupTitle)), "node", ForPrograms("verdict"),
       ForPeople(Right("rank")), ForPeople("beside the leader"),
       ForPrograms("rank"), ForPrograms("leaders"), ForPrograms("leader"),
       ForPrograms("log"), ForPrograms("")}};
  for (const Submitted& judged : all) {
    const store::ClaimLine& claim = judged.claim;
    sheet.rows.push_back(
        {judged.file, claim.origin, claim.author, judged.is_new,
         claim.verdict ? Name(*claim.verdict) : "not judged yet",
         claim.speedup ? SpeedupText(*claim.speedup) : "", OrNull(claim.node),
         NameOrNull(claim.verdict), RankText(judged), LeaderText(judged),
         OrNull(judged.rank, &store::Rank::place),
         OrNull(judged.rank, &store::Rank::of), LeaderJson(judged), judged.log,
         SpeedupJson(claim.speedup)});
  }
  return sheet;
}

void Print(const std::vector<Submitted>& all, const std::string& campaign,
           Streams& streams) {
  PrintTable(SheetOf(all), streams);
  for (const Submitted& judged : all) {
    if (judged.is_new) continue;
    streams.out << OneLine(judged.file) << ": was submitted before as "
                << OneLine(judged.claim.origin);
    if (!judged.claim.author.empty()) {
      streams.out << " by " << OneLine(judged.claim.author);
    }
    streams.out << "\n";
  }
  for (const Submitted& judged : all) PrintLog(judged, streams);
  streams.out << "campaign " << Printable(campaign) << "\n";
}

// The last claim that was there before.
Result<std::int64_t> NewestClaim(store::Database& database,
                                 CampaignId campaign) {
  TRY(lines, store::ReadClaims(database, campaign));
  return lines.empty() ? 0 : lines.back().id;
}

Exit ExitOf(const std::vector<Submitted>& all, const engine::Submission& made) {
  if (made.is_drained) return Exit::kInterrupted;
  const bool has_failed = std::ranges::any_of(all, [](const Submitted& judged) {
    return judged.claim.verdict && judged.claim.verdict != Verdict::kPassed;
  });
  return has_failed ? Exit::kNoImprovement : Exit::kDone;
}

// What is not judged yet, and by what it will be.
void TellWhatIsOpen(const Invocation& invocation, const Target& target,
                    const engine::Submission& made, Streams& streams) {
  if (made.is_judged) return;
  const std::string resume = ContinueCommand("resume --db", invocation.config);
  if (made.lines.empty()) {
    streams.err << "stopped before anything was submitted\n";
    return;
  }
  streams.err << Printable(target.campaign) << ": "
              << (made.open_because.empty()
                      ? ""
                      : Printable(made.open_because) + "; ")
              << "it is judged by whoever runs the campaign: " << resume
              << "\n";
}

Result<Exit> RunSubmit(const Invocation& invocation, Streams& streams) {
  TRY(author, AuthorOf(invocation));
  const engine::Surface surface =
      SurfaceOf(invocation, streams.err_is_terminal);
  TRY(factory, OpenFactory(invocation));
  TRY(target, FindTarget(invocation, *factory));
  TRY(claims, ReadKernels(invocation, target.task, author, streams.in));
  TRY_DONE(factory->Prepare(target.task, invocation.settings().policy));
  engine::Display display(streams.err, surface, factory->clock(),
                          streams.err_columns);
  const auto listener = Listen(*factory, display);
  TRY(database, OpenToWrite(invocation, listener, store::Access::kCreate));
  TRY(row,
      engine::FindOrPlant(*factory, database, target.task, target.campaign));
  TRY(newest, NewestClaim(database, row.id));
  const auto await = invocation.Has("no-wait") ? engine::Await::kNothing
                                               : engine::Await::kJudged;
  auto made = engine::Submit(
      *factory, database, target.task, row, claims, await, display,
      [&](const std::string& line) { display.Say(line); });
  display.Close();
  TRY_DONE(made);
  TRY(all, LookAt(invocation, database, row.id, *made, newest));
  if (invocation.Has("json")) {
    PrintDocument(
        {{"campaign", target.campaign}, {"kernels", RowsJson(SheetOf(all))}},
        streams.out);
  } else if (!all.empty()) {
    Print(all, target.campaign, streams);
  }
  TellWhatIsOpen(invocation, target, *made, streams);
  return ExitOf(all, *made);
}

}  // namespace

Verb SubmitVerb() {
  using config::Group;
  std::vector<Option> options = CampaignOptions();
  options.insert(
      options.begin(),
      {{"author", Takes::kText, "NAME", "who wrote it, as tables shall tell"},
       {"no-wait", Takes::kNothing, "",
        "whoever runs the campaign judges it, now or later"}});
  return {
      .name = "submit",
      .summary = "have a kernel judged and kept with its author",
      .arguments = "TASK|CAMPAIGN FILE...",
      .examples =
          "  coppice submit gemm_square mine.cc --author Ann\n"
          "  coppice submit gemm_square.xei_hint.s1 mine.cc   # while it runs\n"
          "  coppice submit gemm_square one.cc two.cc --json\n",
      .options = std::move(options),
      .settings = config::NamesIn(
          {Group::kDatabase, Group::kSearch, Group::kPolicy, Group::kAttempts,
           Group::kThreads, Group::kTimeouts, Group::kPython, Group::kDevices,
           Group::kRules, Group::kDelegation, Group::kData, Group::kCache}),
      .first = {"author", "no-wait", "db", "json"},
      .run = RunSubmit,
  };
}

}  // namespace coppice::cli
