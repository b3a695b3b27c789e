// Agents and the processes that judge for them are killed at any instant, all
// over one database.  COPPICE_STORM_KILLS says how often in all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "engine/outside/scripted_agent.h"
#include "engine/outside/ticket_offer.h"
#include "engine/outside/told.h"
#include "store/records/random.h"
#include "store/write/campaigns.h"

namespace coppice::engine {
namespace {

namespace fs = std::filesystem;
using store::Must;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kAgents = 8;
constexpr int kServices = 2;
constexpr double kCost_usd = 0.0009765625;  // 2^-10: sums of it are exact.

int WantedKills() {
  const char* said = std::getenv("COPPICE_STORM_KILLS");
  return said == nullptr ? 24 : std::atoi(said);
}

void Pause(std::uint64_t ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

// Others hold the file for longer than one waits where much is killed.
template <class Try>
auto Insist(Try&& attempt) {
  for (;;) {
    auto done = attempt();
    if (done || done.error().code != Errc::kBusy) return done;
    Pause(5);
  }
}

// What an agent notes for itself, a line each, before it tells a stage and
// after a request is over: it survives the agent.
class Book {
 public:
  explicit Book(fs::path path) : path_(std::move(path)) {}

  void Add(const std::string& line) const {
    std::ofstream(path_, std::ios::app) << line + "\n" << std::flush;
  }
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    std::ifstream in(path_);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

 private:
  fs::path path_;
};

class Storm {
 public:
  Storm() : built_in_(kBegin), rig_(kBegin) {
    answers_ = RunBuiltIn(built_in_);
    MeasureRoot(rig_);
    built_in_.Close();
    rig_.Close();
  }

  // In a process of its own, until there is nothing more to do.
  void BeAgent(int number) {
    rig_.Reopen();
    ServingProcess serving(rig_);
    const Book book(BookOf(number));
    RandomStream stream(static_cast<std::uint64_t>(getpid()),
                        Purpose::kSimulation, 0);
    for (std::int64_t step = StepsIn(book);;) {
      AgentWish wish;
      wish.agent = "agent-" + std::to_string(number);
      wish.request = "step-" + std::to_string(step);
      wish.lease_s = stream.Below(2) == 0 ? 0.03 : 600.0;
      const Asked asked = Must(Insist([&] { return serving->Ask(wish); }));
      if (asked.offers.empty()) {
        if (asked.is_spent && fs::exists(StopFile())) return;
        Pause(2);
        continue;
      }
      TellAll(*serving, asked.offers.front(), book, stream);
      book.Add("over " + std::to_string(++step));
    }
  }

  void BeService() {
    rig_.Reopen();
    ServingProcess serving(rig_);
    while (!fs::exists(StopFile()) ||
           !Must(Insist([&] { return serving->IsDone(); }))) {
      Must(Insist([&] { return serving->JudgeOrphans(); }));
      Pause(2);
    }
  }

  void Extend(std::int64_t attempts) {
    const auto database = rig_.Connect();
    store::Campaigns campaigns(*database);
    const auto row = Must(Insist([&] { return campaigns.Find("c"); }));
    Must(Insist([&] {
      return campaigns.SetBudget(row.id, row.spec.budget_attempts + attempts,
                                 {});
    }));
  }
  void Stop() { std::ofstream(StopFile()) << "stop"; }

  // Counts the stages that were told, each once.
  std::size_t Stages() const {
    std::set<std::string> told;
    for (int i = 0; i < kAgents; ++i) {
      for (const std::string& line : Book(BookOf(i)).Lines()) {
        if (line.starts_with("tells ")) told.insert(line);
      }
    }
    return told.size();
  }

  SimulatedRig& rig() { return rig_; }

 private:
  static constexpr std::int64_t kBegin = 16;

  fs::path BookOf(int number) const {
    return rig_.path().parent_path() / ("book-" + std::to_string(number));
  }
  fs::path StopFile() const { return rig_.path().parent_path() / "stop"; }

  static std::int64_t StepsIn(const Book& book) {
    std::int64_t steps = 0;
    for (const std::string& line : book.Lines()) {
      if (line.starts_with("over ")) ++steps;
    }
    return steps;
  }

  Told AnswerTo(const TicketOffer& offer) const {
    const auto known = answers_.find({offer.decision % kBegin, offer.role});
    Told told;
    if (known == answers_.end()) {
      told.none_reason = "no idea";
    } else {
      told = ToldOf(offer.role, known->second, offer.annotate);
    }
    told.use.cost_usd = kCost_usd;
    return told;
  }

  // Tells all answers of one ticket.  A ticket that was lost is told once more,
  // as far as it was.
  void TellAll(TicketIssuer& ticket_issuer, TicketOffer offer, const Book& book,
               RandomStream& stream) {
    const std::string name = ToString(offer.ticket.uuid);
    if (offer.ticket.state == TicketState::kLost) {
      bool had_told = false;
      for (const std::string& line : book.Lines()) {
        const std::string stage = "tells " + name + " ";
        if (!line.starts_with(stage)) continue;
        had_told = true;
        offer.role = static_cast<Role>(std::stoi(line.substr(stage.size())));
      }
      if (had_told) {
        (void)Insist([&] {
          return ticket_issuer.Tell(offer.ticket.uuid, AnswerTo(offer),
                                    TicketIssuer::Judging::kLater);
        });
      }
      return;
    }
    for (;;) {
      book.Add("tells " + name + " " +
               std::to_string(static_cast<int>(offer.role)));
      Pause(stream.Below(8));
      const auto judging = stream.Below(2) == 0 ? TicketIssuer::Judging::kHere
                                                : TicketIssuer::Judging::kLater;
      const auto receipt = Insist([&] {
        return ticket_issuer.Tell(offer.ticket.uuid, AnswerTo(offer), judging);
      });
      if (!receipt && receipt.error().code == Errc::kLost) return;
      Must(receipt);
      if (!receipt->next) return;
      offer = *receipt->next;
    }
  }

  SimulatedRig built_in_;
  SimulatedRig rig_;
  Answers answers_;
};

// A child that runs `work`, again each time that it is killed.
class Child {
 public:
  explicit Child(std::function<void()> work) : work_(std::move(work)) {
    Start();
  }
  void Kill() {
    kill(pid_, SIGKILL);
    int status = 0;
    waitpid(pid_, &status, 0);
    Start();
  }
  int Await() const {
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  }

 private:
  void Start() {
    pid_ = fork();
    if (pid_ != 0) return;
    try {
      work_();
    } catch (const std::exception& failure) {
      std::cerr << failure.what() << std::endl;
      _exit(1);
    }
    _exit(0);
  }
  std::function<void()> work_;
  pid_t pid_ = -1;
};

TEST(AskTellStormTest, NoDecisionIsLostAndNoneIsWithTwo) {
  Storm storm;
  std::vector<Child> children;
  for (int i = 0; i < kAgents; ++i) {
    children.emplace_back([&storm, i] { storm.BeAgent(i); });
  }
  for (int i = 0; i < kServices; ++i) {
    children.emplace_back([&storm] { storm.BeService(); });
  }
  RandomStream stream(1, Purpose::kSimulation, 0);
  for (int i = 0; i < WantedKills(); ++i) {
    // It runs in a process of its own, since this one forks.
    Child extends([&storm] { storm.Extend(2); });
    EXPECT_EQ(extends.Await(), 0);
    Pause(5 + stream.Below(40));
    children[stream.Below(children.size())].Kill();
  }
  storm.Stop();
  for (const Child& child : children) EXPECT_EQ(child.Await(), 0);

  SimulatedRig& rig = storm.rig();
  rig.Reopen();
  EXPECT_THAT(rig.Findings(),
              IsEmpty());  // Neither doctor nor replay finds anything.
  // Each decision has its node, by the one ticket that was told to its end.
  EXPECT_THAT(rig.Rows("SELECT count(*) FROM attempts WHERE node IS NULL"),
              ElementsAre("0"));
  EXPECT_THAT(rig.Rows("SELECT attempts = budget_attempts, nodes - 1 = attempts"
                       " FROM campaigns"),
              ElementsAre("1|1"));
  EXPECT_THAT(rig.Rows("SELECT DISTINCT count(*) FROM tickets"
                       " WHERE state = 'told' GROUP BY decision"),
              ElementsAre("1"));
  EXPECT_THAT(rig.Rows("SELECT count(*) FROM tickets WHERE state = 'open'"),
              ElementsAre("0"));
  // The ledger is what the agents noted.
  EXPECT_THAT(rig.Rows("SELECT CAST(claimed_usd * 1024 AS INTEGER), cost_usd"
                       " FROM improvement_costs"),
              ElementsAre(std::to_string(storm.Stages()) + "|0"));
  std::cout
      << WantedKills()
      << " kills: " << rig.Rows("SELECT attempts FROM campaigns").at(0)
      << " decisions, " << storm.Stages() << " stages told, "
      << rig.Rows("SELECT count(*) FROM tickets").at(0) << " tickets, "
      << rig.Rows("SELECT count(*) FROM tickets WHERE state = 'lost'").at(0)
      << " lost" << std::endl;
}

}  // namespace
}  // namespace coppice::engine
