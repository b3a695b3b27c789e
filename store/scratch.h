// For tests: a database in a directory of its own, and short ways to grow a
// history in it.  Failures of the store end the test by an exception.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "store/database.h"
#include "store/read/query.h"
#include "store/records/behaviour.h"
#include "store/records/model_call.h"
#include "store/records/tried_configuration.h"
#include "store/write/attempts.h"
#include "store/write/calls.h"
#include "store/write/campaigns.h"
#include "store/write/nodes.h"

namespace coppice::store {

// The value, or an exception with the error's text.
template <class T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().what);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  std::filesystem::path File(const std::string& name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

// What an attempt shall come to.
struct Outcome {
  std::string source = "";  // Empty: "kernel N", N the node's number.
  Verdict verdict = Verdict::kPassed;
  std::optional<double> runtime_s = 1.0;
  std::string advice = "tile the loop";
  std::string policy = "stark";
  std::string technique = "tile";
  double check_s = 0.0;  // Of its evaluation.
  std::vector<TriedConfiguration> trials = {};
  std::vector<ModelPick> picks = {};
  Behaviour behaviour = {};
  std::vector<WindowCut> cut = {};  // Of its calls' windows.
  std::optional<NodeId> mate = {};
};

// A new database.  It is not made to survive power loss: tests are many.
Database NewFile(const std::filesystem::path& path);

// Another uuid on each call.
Uuid NextUuid();

CampaignSpec SpecNamed(const std::string& name);
NodeRecord RootNode(const std::string& source = "root kernel");
Evaluation EvaluationOf(Verdict verdict, std::optional<double> runtime_s);
Reservation ReservationOf(std::int64_t decision, NodeId parent);
CallIntent IntentOf(Role role);
CallEnd AnswerOf(const std::string& text);

// A campaign with a root that takes 4 seconds.
CampaignId Plant(Database& database, const std::string& name);

// A campaign "beside" with a refuted node, one that crashed on it, and an
// attempt in flight: who asks of another is to see nothing of it.
CampaignId PlantBeside(Database& database);

// One whole attempt on `parent`, at Unix time 1000 + the node's number.
NodeId Grow(Database& database, CampaignId campaign, NodeId parent,
            const Outcome& outcome = {});

// A line each, values separated by '|', NULL as "-".
std::vector<std::string> AsLines(const std::vector<std::vector<Value>>& rows);

// All rows, likewise.
std::vector<std::string> Rows(Database& database, const std::string& sql);

// Runs SQL as what coppice itself does: the rows that it changes are sealed.
void Change(Database& database, const std::string& sql);

// Runs SQL on the file with no checks, as damage does.
void Damage(const std::filesystem::path& path, const std::string& sql);

}  // namespace coppice::store
