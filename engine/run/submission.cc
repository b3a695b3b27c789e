#include "engine/run/submission.h"

#include <algorithm>
#include <utility>

#include "agents/provider/timer.h"
#include "config/load.h"
#include "config/settings.h"
#include "engine/campaign/process_lock.h"
#include "engine/factory/campaign_factory.h"
#include "engine/process/clock.h"
#include "engine/run/campaign_report.h"
#include "engine/run/session.h"

namespace coppice::engine {
namespace {

constexpr double kLookEvery_s = 0.3;

// Brings a campaign forward, or waits while another process does.
class Judge {
 public:
  Judge(CampaignFactory& factory, store::Database& database, const Task& task,
        const store::CampaignRow& campaign, Observer& observer,
        const std::function<void(const std::string&)>& say)
      : factory_(factory),
        database_(database),
        task_(task),
        campaign_(campaign),
        observer_(observer),
        say_(say) {}

  // Until `is_done`, or until nobody can bring it further.  Looks only at what
  // is committed, so whose process does the work is all the same.
  Result<void> Until(const std::function<Result<bool>()>& is_done) {
    for (bool has_run = false;;) {
      TRY(done, is_done());
      if (done) return {};
      if (factory_.drain()) {
        is_drained_ = true;
        return {};
      }
      TRY(is_anyone,
          ProcessLock::IsAnyone(factory_.settings().db, campaign_.id));
      if (is_anyone) {
        SayOnce();
        factory_.timer().Wait(kLookEvery_s, &factory_.drain());
        has_run = false;
        continue;
      }
      if (has_run) return {};
      TRY_ASSIGN(has_run, Run());
      if (is_drained_) return {};
    }
  }

  bool is_drained() const { return is_drained_; }
  const std::string& reason() const { return reason_; }

 private:
  void SayOnce() {
    if (std::exchange(has_said_, true)) return;
    say_(campaign_.spec.name +
         ": another process runs it, and judges what is submitted; waiting "
         "(Ctrl-C waits no longer, and it is judged all the same)");
  }

  // The root and what was begun; no policy is asked.  False: somebody was
  // faster, and has it alone.
  Result<bool> Run() {
    auto report = RunCampaign(factory_, database_, task_, campaign_, observer_,
                              Extent::kNone);
    if (!report && report.error().code == Errc::kBusy) {
      factory_.timer().Wait(kLookEvery_s, &factory_.drain());
      return false;
    }
    TRY_DONE(report);
    is_drained_ = report->ending == Ending::kDrained;
    reason_ = report->cap_reached;
    return true;
  }

  CampaignFactory& factory_;
  store::Database& database_;
  const Task& task_;
  const store::CampaignRow& campaign_;
  Observer& observer_;
  const std::function<void(const std::string&)>& say_;
  bool has_said_ = false;
  bool is_drained_ = false;
  std::string reason_;
};

Result<std::vector<store::ClaimLine>> ReadLines(
    store::Database& database, CampaignId campaign,
    const std::vector<std::int64_t>& ids) {
  std::vector<store::ClaimLine> lines;
  for (const std::int64_t id : ids) {
    TRY(line, store::ReadClaim(database, campaign, id));
    lines.push_back(std::move(line));
  }
  return lines;
}

bool AreJudged(const std::vector<store::ClaimLine>& lines) {
  return std::ranges::all_of(lines, [](const store::ClaimLine& line) {
    return line.node.has_value();
  });
}

}  // namespace

Result<Submission> Submit(CampaignFactory& factory, store::Database& database,
                          const Task& task, const store::CampaignRow& campaign,
                          const std::vector<store::Claim>& claims, Await await,
                          Observer& observer,
                          const std::function<void(const std::string&)>& say) {
  // Before the claims are more of its budget.
  TRY_DONE(
      factory.SettingsToGoOn(campaign.spec).map([](const config::Settings&) {
      }));
  Submission submission;
  Judge judge(factory, database, task, campaign, observer, say);
  TRY_DONE(judge.Until([&]() -> Result<bool> {
    TRY(row, store::Campaigns(database).Find(campaign.spec.name));
    return row.nodes > 0;
  }));
  submission.is_drained = judge.is_drained();
  if (submission.is_drained) return submission;
  const Clock& clock = factory.clock();
  TRY_ASSIGN(submission.intake,
             store::SubmitClaims(
                 database, campaign.id, claims, store::Judging::kByAttempt,
                 [&clock] { return FreshUuid(clock); }, clock.UnixSeconds()));
  const auto look = [&]() -> Result<bool> {
    TRY_ASSIGN(submission.lines,
               ReadLines(database, campaign.id, submission.intake.ids));
    return AreJudged(submission.lines);
  };
  if (await == Await::kNothing) {
    TRY_ASSIGN(submission.is_judged, look());
    return submission;
  }
  TRY_DONE(judge.Until(look));
  submission.is_judged = AreJudged(submission.lines);
  submission.is_drained = judge.is_drained();
  submission.open_because = judge.reason();
  return submission;
}

}  // namespace coppice::engine
