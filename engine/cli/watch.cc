// coppice watch [CAMPAIGN]: a campaign as it runs, drawn again in place.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "config/keys.h"
#include "engine/campaign/campaign_state.h"
#include "engine/cli/screen.h"
#include "engine/cli/verbs.h"
#include "engine/cli/watch_picture.h"
#include "engine/documents/campaign_rows.h"
#include "engine/documents/open_history.h"
#include "engine/process/clock.h"
#include "store/read/change_counter.h"
#include "store/read/improvements.h"
#include "store/read/spend.h"
#include "store/records/parse_number.h"
#include "store/write/live_campaigns.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kPollEvery_s = 0.2;
constexpr int kMostLeaders = 10;
constexpr int kMostEvents = 40;

// What characters a terminal has, as setlocale(3) would learn it.
bool HasBlocks(const Invocation& invocation) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale = invocation.Variable(name);
    if (locale.empty()) continue;
    std::ranges::transform(locale, locale.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return locale.find("utf-8") != std::string::npos ||
           locale.find("utf8") != std::string::npos;
  }
  return false;
}

// Unset: "none".
std::optional<double> CapOf(const store::CampaignSpec& spec,
                            std::string_view key) {
  return ParseNumber<double>(SettingOf(spec, key));
}

// Looks at one file, and reads again only what may have changed.
class Watcher {
 public:
  Watcher(const Invocation& invocation, store::Database& database)
      : invocation_(invocation),
        file_(invocation.settings().db),
        database_(database) {}

  // Whether there is something new to be read.
  Result<bool> HasChanged() {
    std::error_code error;
    if (!fs::exists(file_, error)) {
      return Fail(Errc::kNotFound,
                  file_.string() + ": is not there any longer");
    }
    TRY(version, store::DataVersion(database_));
    return std::exchange(version_, version) != version;
  }

  Result<void> Read() {
    store::Campaigns campaigns(database_);
    if (name_.empty()) TRY_DONE(Choose());
    if (name_.empty()) return ReadAll();
    TRY(row, campaigns.Find(name_));
    TRY(view, ReadView(std::move(row)));
    NoteTime(view);
    view_ = std::move(view);
    return {};
  }

  // Whether nothing that is looked at will change by itself.
  bool IsFinished() const {
    if (view_) return view_->standing.state == "finished";
    return std::ranges::all_of(standings_, [](const Standing& standing) {
      return standing.state == "finished";
    });
  }

  Result<std::vector<std::string>> Picture(Canvas canvas) {
    canvas.now_s = clock_.UnixSeconds();
    if (!view_) {
      for (Standing& standing : standings_) TRY_DONE(Renew(standing));
      return PictureOf(standings_, canvas);
    }
    TRY_DONE(Renew(view_->standing));
    view_->elapsed_s = view_->standing.row.elapsed_s;
    if (view_->standing.state == "running" && noted_) {
      view_->elapsed_s += std::max(0.0, canvas.now_s - noted_at_s_);
    }
    return PictureOf(*view_, canvas);
  }

 private:
  // Asks anew whether somebody works on it, since no commit tells that a
  // process has died.
  Result<void> Renew(Standing& standing) {
    TRY_ASSIGN(standing.state,
               engine::StateOf(standing.row.id, standing.row.state,
                               standing.row.nodes, file_));
    return {};
  }

  // The campaign that is named, or the only one.
  Result<void> Choose() {
    TRY(rows, store::Campaigns(database_).List());
    if (rows.empty()) return tl::unexpected<Error>(NoCampaign(file_.string()));
    if (!invocation_.arguments.empty()) {
      TRY(row, CampaignNamed(file_.string(), invocation_.arguments.front(),
                             std::move(rows)));
      name_ = row.spec.name;
    } else if (rows.size() == 1) {
      name_ = rows.front().spec.name;
    }
    return {};
  }

  Result<void> ReadAll() {
    TRY(rows, store::Campaigns(database_).List());
    standings_.clear();
    for (store::CampaignRow& row : rows) {
      TRY_ASSIGN(standings_.emplace_back(),
                 ReadStanding(database_, file_, std::move(row)));
    }
    view_.reset();
    return {};
  }

  Result<CampaignView> ReadView(store::CampaignRow row) {
    const CampaignId id = row.id;
    TRY(standing, ReadStanding(database_, file_, std::move(row)));
    TRY(leaders, store::ReadLeaders(database_, id, kMostLeaders));
    TRY(improvements, store::ReadImprovements(database_, id));
    TRY(in_flight, store::ReadInFlight(database_, id));
    TRY(happenings, store::ReadHappenings(database_, id, kMostEvents));
    TRY(spend, ReadSpent(standing.row));
    return CampaignView{std::move(standing),
                        std::move(leaders),
                        std::move(improvements),
                        std::move(in_flight),
                        std::move(happenings),
                        spend,
                        0.0};
  }

  Result<Spend> ReadSpent(const store::CampaignRow& row) {
    TRY(costs, store::ReadImprovementCosts(database_, row.spec.name));
    Spend spend;
    TRY_ASSIGN(spend.day_usd,
               store::ReadDayCost(database_, clock_.UnixSeconds()));
    if (!costs.empty()) {
      spend.campaign_usd = costs.front().cost_usd;
      spend.unsettled_usd = costs.front().unsettled_usd;
    }
    spend.cap_usd = CapOf(row.spec, "cap_usd");
    spend.day_cap_usd = CapOf(row.spec, "day_cap_usd");
    return spend;
  }

  // The file is told of time every few seconds; between, time goes on.
  void NoteTime(const CampaignView& view) {
    const double elapsed_s = view.standing.row.elapsed_s;
    if (noted_ == elapsed_s) return;
    noted_ = elapsed_s;
    noted_at_s_ = clock_.UnixSeconds();
  }

  const Invocation& invocation_;
  const fs::path file_;
  store::Database& database_;
  const engine::SystemClock clock_{};
  std::string name_;  // Empty: all campaigns.
  std::int64_t version_ = -1;
  std::optional<CampaignView> view_;
  std::vector<Standing> standings_;
  std::optional<double> noted_;
  double noted_at_s_ = 0.0;
};

Result<Exit> PrintOnce(Watcher& watcher, const Canvas& canvas,
                       Streams& streams) {
  TRY(lines, watcher.Picture(canvas));
  for (const std::string& line : lines) streams.out << line << "\n";
  return Exit::kDone;
}

enum class Wish : std::uint8_t { kNone, kEnd };

Wish WishOf(Screen& screen, std::optional<char> key) {
  constexpr char kCtrlD = 4;
  constexpr char kCtrlZ = 26;
  if (key == 'q' || key == 'Q' || key == kCtrlD) return Wish::kEnd;
  if (key == kCtrlZ) screen.Suspend();
  return Wish::kNone;
}

// Until somebody wants no more, or there is no more to come.  True: that.
Result<bool> WatchOn(Watcher& watcher, Canvas canvas) {
  Screen screen;
  while (Screen::EndedBy() == 0) {
    TRY(has_changed, watcher.HasChanged());
    if (has_changed) TRY_DONE(watcher.Read());
    if (watcher.IsFinished()) return true;
    // Some terminals wrap as soon as the last cell is written.
    canvas.columns = std::max(screen.columns() - 1, 1);
    canvas.rows = screen.rows();
    TRY(lines, watcher.Picture(canvas));
    screen.Show(lines);
    if (WishOf(screen, screen.Key(kPollEvery_s)) == Wish::kEnd) break;
  }
  return false;
}

Result<Exit> RunWatch(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToLook(invocation));
  Watcher watcher(invocation, database);
  TRY_DONE(watcher.HasChanged());
  TRY_DONE(watcher.Read());
  Canvas canvas;
  canvas.columns = streams.out_is_terminal ? streams.columns : 80;
  canvas.colour = streams.colour;
  canvas.blocks = HasBlocks(invocation);
  const std::string term = invocation.Variable("TERM");
  const bool is_dumb = term.empty() || term == "dumb";
  if (!streams.out_is_terminal || is_dumb || invocation.Has("once") ||
      watcher.IsFinished()) {
    return PrintOnce(watcher, canvas, streams);
  }
  streams.out.flush();
  TRY(is_finished, WatchOn(watcher, canvas));
  if (is_finished) return PrintOnce(watcher, canvas, streams);
  return Screen::EndedBy() != 0 ? Exit::kInterrupted : Exit::kDone;
}

}  // namespace

Verb WatchVerb() {
  return {
      .name = "watch",
      .summary = "a campaign as it runs, drawn again in place",
      .arguments = "[CAMPAIGN]",
      .examples =
          "  coppice watch               # q ends it\n"
          "  coppice watch gemv --db mine.db\n"
          "  coppice watch --once | tee now.txt\n",
      .options = {{"once", Takes::kNothing, "",
                   "print one picture and end; so it is where the output is "
                   "no terminal"}},
      .settings = config::NamesIn({config::Group::kDatabase}),
      .run = RunWatch,
  };
}

}  // namespace coppice::cli
