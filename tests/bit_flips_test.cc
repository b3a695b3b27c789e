// Flips single bits in the file of a campaign: doctor finds each that changes a
// fact, and what it repairs is as it was.
//
// COPPICE_BIT_FLIPS says how many (default 1000).
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/care/maintenance.h"
#include "store/database.h"
#include "store/digest.h"
#include "store/read/series.h"
#include "store/records/evaluation.h"
#include "store/records/random.h"
#include "store/records/ticket.h"
#include "store/scratch.h"
#include "store/write/assistant_turns.h"
#include "store/write/attempts.h"
#include "store/write/baselines.h"
#include "store/write/campaigns.h"
#include "store/write/claims.h"
#include "store/write/directives.h"
#include "store/write/lessons.h"
#include "store/write/session_calls.h"
#include "store/write/tickets.h"
#include "tests/campaign_process.h"
#include "tests/model_server.h"
#include "tests/whole.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;

constexpr int kRepairEvery = 4;  // One in so many that changed a fact.

// Read once and taken away: the program knows of no such setting.
int Wanted() {
  static const int wanted = [] {
    const char* text = std::getenv("COPPICE_BIT_FLIPS");
    const int flips = text != nullptr ? std::atoi(text)
                      : TriesAll()    ? 1000
                                      : 250;
    unsetenv("COPPICE_BIT_FLIPS");
    return flips;
  }();
  return wanted;
}

// All values of all rows, with their types, by table.
using Facts = std::map<std::string, std::string>;

std::string ReadTable(SQLite::Database& sqlite, const std::string& table) {
  std::string facts;
  const bool is_schema = table == "sqlite_schema";
  SQLite::Statement read(
      sqlite, "SELECT * FROM " + table + (is_schema ? "" : " NOT INDEXED"));
  while (read.executeStep()) {
    for (int i = 0; i < read.getColumnCount(); ++i) {
      const SQLite::Column value = read.getColumn(i);
      facts += std::to_string(value.getType()) + ":";
      if (value.isFloat()) {
        const double real = value.getDouble();
        facts.append(reinterpret_cast<const char*>(&real), sizeof real);
      } else {
        facts += std::to_string(value.getBytes()) + ":" + value.getString();
      }
    }
    facts += "\n";
  }
  return facts;
}

Facts ReadFacts(const fs::path& path) {
  SQLite::Database sqlite(path.string(), SQLite::OPEN_READONLY);
  Facts facts;
  facts["sqlite_schema"] = ReadTable(sqlite, "sqlite_schema");
  std::vector<std::string> tables;
  SQLite::Statement names(sqlite,
                          "SELECT name FROM sqlite_schema"
                          " WHERE type = 'table'");
  while (names.executeStep()) tables.push_back(names.getColumn(0).getString());
  for (const std::string& table : tables) {
    facts[table] = ReadTable(sqlite, table);
  }
  return facts;
}

// None: they cannot be read.
std::optional<Facts> TryToReadFacts(const fs::path& path) {
  try {
    return ReadFacts(path);
  } catch (const SQLite::Exception&) {
    return std::nullopt;
  }
}

// What a passing kernel on a GPU leaves, and more samples than a simulated one.
Evaluation RichEvaluation() {
  Evaluation evaluation;
  evaluation.verdict = Verdict::kPassed;
  evaluation.log = "passed";
  evaluation.runtime_s = 2e-3;
  evaluation.root_runtime_s = 4e-3;
  evaluation.speedup = Speedup{2.0, Interval{1.9, 2.1}};
  evaluation.environment.hardware = "a device";
  evaluation.environment.libraries = {{"torch", "2.13.0"}, {"triton", "3.7"}};
  RandomStream stream(1, Purpose::kSimulation, 0);
  for (int workload = 0; workload < 4; ++workload) {
    WorkloadResult result;
    result.workload = "w" + std::to_string(workload);
    result.verdict = Verdict::kPassed;
    for (int round = 0; round < 30; ++round) {
      result.samples_s.push_back(2e-3 + 1e-5 * stream.Normal());
      result.root_samples_s.push_back(4e-3 + 1e-5 * stream.Normal());
      result.control_samples_s.push_back(4e-3 + 1e-5 * stream.Normal());
    }
    Profile& profile = result.profile.emplace();
    profile.shape = "M=" + std::to_string(workload);
    profile.kernels.resize(2);
    profile.kernels[0].name = "first";
    profile.kernels[1].name = "second";
    evaluation.workloads.push_back(std::move(result));
  }
  return evaluation;
}

// The user is told as well by a file that cannot be opened.
std::vector<std::string> Doctor(const fs::path& path) {
  auto database = store::Database::Open(path, store::Access::kReadOnly);
  if (!database) return {database.error().what};
  return store::Must(store::Diagnose(*database));
}

// But for the events that tell of repairs, and what they add up to.
bool AreSame(const Facts& before, const Facts& after) {
  for (const auto& [table, facts] : before) {
    if (table == "event" || table == "seal") continue;
    const auto at = after.find(table);
    if (at == after.end() || at->second != facts) return false;
  }
  return before.size() == after.size();
}

class BitFlipsTest : public testing::Test, protected CampaignProcesses {
 protected:
  BitFlipsTest() {
    Wanted();
    setenv("no_proxy", "127.0.0.1", 1);
    setenv("OPENAI_API_KEY", "sk-flipped", 1);
  }

  // A campaign that models of a server were asked for, with what else a file
  // can hold.
  fs::path MakeCampaign() const {
    const ModelServer server({});
    const fs::path path = Database("whole");
    Arguments run = {"run",
                     "sim:basic",
                     "--seed",
                     "7",
                     "--budget",
                     "40",
                     "--db",
                     path.string(),
                     "--name",
                     "flipped",
                     "--progress",
                     "none",
                     "--openai-base-url",
                     server.Url()};
    for (const char* role : {"plan", "code", "debug"}) {
      run.insert(run.end(),
                 {"--" + std::string(role) + "-model", "openai:gpt-4.1-mini"});
    }
    Succeed(run);
    store::Database database =
        store::Must(store::Database::Open(path, store::Access::kReadWrite));
    const CampaignId campaign =
        store::Must(store::Campaigns(database).Find("flipped")).id;
    store::Must(store::AddBaselineEvaluation(
        database, campaign, store::kExpertBaseline, RichEvaluation(), 1000.0));
    store::Must(store::AddQuotedBaselines(
        database,
        {{1, "nk", "torch", "L40S", 1.0, 0.1, 0.9, 1.2, 100, "l40s.json"}},
        1000.0));
    store::Claim claim;
    claim.candidate = {Language::kCpp, "claimed", "run"};
    claim.origin = "x.json:1";
    store::Must(store::SubmitClaims(
        database, campaign, {claim}, store::Judging::kByAttempt,
        [] { return MakeUuidV7(1'700'000'000'000, 0, 1); }, 1000.0));
    AddByHand(database);
    store::Must(store::Compact(database));
    return path;
  }

  // What that campaign has none of: a tuned node, a model chosen of two, an
  // attempt on two nodes that an outside agent holds, a directive, a lesson, a
  // question to the assistant, and scores of campaigns in memory.
  static void AddByHand(store::Database& database) {
    const CampaignId campaign = store::Plant(database, "by hand");
    store::Outcome tuned;
    tuned.trials = {{"TILE=64", Verdict::kPassed, Speedup{2.0, {}}, 1.5, true}};
    tuned.picks = {{Role::kCode, "exec:a", "exec:a,exec:b", "bandit", "why"}};
    store::Grow(database, campaign, kRootNode, tuned);
    Reservation reservation = store::ReservationOf(1, kRootNode);
    reservation.nodes_seen = 2;
    reservation.mate = NodeId{1};
    Ticket ticket;
    ticket.uuid = store::NextUuid();
    ticket.campaign = campaign;
    ticket.attempt =
        store::Must(store::Attempts(database).Reserve(campaign, reservation));
    ticket.agent = "ana";
    ticket.roles = Roles::All();
    store::Must(store::Tickets(database).Issue(ticket));
    const CallId call = store::Must(store::Calls(database).Begin(
        ticket.attempt, store::IntentOf(Role::kCode), {}));
    store::SessionCalls session(database);
    const SessionCall tool =
        store::Must(session.Begin(call, "evaluate_kernel", "{}", 1000.0));
    store::Must(session.End(tool.id, SessionCallState::kAnswered, "no", 1001));
    Directive advice;
    advice.uuid = store::NextUuid();
    advice.author = "ana";
    advice.kind = DirectiveKind::kAdvise;
    advice.text = "Tile it.";
    store::Must(store::AppendDirective(database, campaign, advice));
    store::Must(
        store::AddNote(database, "Tile it.", "softmax", "tile", 1000.0));
    store::TurnIntent turn;
    turn.origin = {store::NextUuid(), 1, campaign, "Why is node 1 fast?"};
    turn.provider = "openai";
    turn.model = "m";
    turn.request = "{}";
    turn.cost_usd_bound = 0.5;
    turn.sent_at_s = 1000.0;
    store::Must(store::AssistantTurns(database).Begin(turn, 1.0));
    const store::SeriesKey key{{"sim:hill/1", store::Sha256("hill"), 1},
                               "stark"};
    store::SeriesScores scores(database);
    const auto series = store::Must(scores.Enter({key}, {{1, 1, 30}}));
    store::Must(scores.Add({{series[0], {{1, 30, 0.5, 20, 10}}}}));
  }

  // What is in a copy that doctor repaired; none: it is not sound then.
  std::optional<Facts> RepairedCopy(const fs::path& damaged) const {
    const fs::path path = Database("repaired");
    fs::copy_file(damaged, path, fs::copy_options::overwrite_existing);
    {
      auto database = store::Database::Open(path, store::Access::kReadWrite,
                                            store::Durability::kNormal);
      if (!database) return std::nullopt;
      const auto repaired = store::Repair(
          *database, 2000.0, [](const std::string&) { return true; });
      if (!repaired) return std::nullopt;
    }
    if (!Doctor(path).empty()) return std::nullopt;
    return ReadFacts(path);
  }
};

// One byte of a file, as long as this lives.
class FlippedBit {
 public:
  FlippedBit(const fs::path& path, off_t byte, int bit)
      : file_(open(path.c_str(), O_RDWR | O_CLOEXEC)), byte_(byte) {
    if (pread(file_, &was_, 1, byte_) != 1) throw std::runtime_error("read");
    Write(static_cast<unsigned char>(was_ ^ 1 << bit));
  }
  ~FlippedBit() {
    Write(was_);
    close(file_);
  }
  FlippedBit(const FlippedBit&) = delete;
  FlippedBit& operator=(const FlippedBit&) = delete;

 private:
  void Write(unsigned char value) const {
    if (pwrite(file_, &value, 1, byte_) != 1) std::abort();
  }
  const int file_;
  const off_t byte_;
  unsigned char was_ = 0;
};

TEST_F(BitFlipsTest, EachThatChangesAFactIsFoundAndNoneIsRepairedWrongly) {
  const fs::path whole = MakeCampaign();
  const fs::path copy = Database("flipped");
  const Facts before = ReadFacts(whole);
  for (const auto& [table, facts] : before) {
    EXPECT_NE(facts, "") << table << " has no rows to be damaged";
  }
  ASSERT_THAT(Doctor(whole), testing::IsEmpty());
  const auto size = fs::file_size(whole);
  RandomStream stream(1, Purpose::kSimulation, 0);
  int changed = 0;
  int found = 0;
  int harmless = 0;
  int harmless_found = 0;
  int tried = 0;
  int repaired = 0;
  fs::copy_file(whole, copy);
  for (int i = 0; i < Wanted(); ++i) {
    const auto byte = static_cast<off_t>(stream.Below(size));
    const int bit = static_cast<int>(stream.Below(8));
    const FlippedBit flipped(copy, byte, bit);
    const std::optional<Facts> facts = TryToReadFacts(copy);
    const bool is_found = !Doctor(copy).empty();
    if (facts == before) {
      ++harmless;
      if (is_found) ++harmless_found;
      continue;
    }
    const std::string which =
        "bit " + std::to_string(bit) + " of byte " + std::to_string(byte);
    ++changed;
    if (is_found) ++found;
    EXPECT_TRUE(is_found) << which;
    if (changed % kRepairEvery != 0) continue;
    ++tried;
    if (const auto mended = RepairedCopy(copy)) {
      ++repaired;
      EXPECT_TRUE(AreSame(before, *mended)) << which;
    }
  }
  std::cout << Wanted() << " flipped bits of " << size << " bytes: " << changed
            << " changed a fact, of which " << found << " were found; of "
            << tried << " that were to be repaired " << repaired
            << " were put back; " << harmless << " changed none, of which "
            << harmless_found << " were found, too" << std::endl;
  EXPECT_EQ(found, changed);
}

}  // namespace
}  // namespace coppice
