#include <bit>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/care/maintenance.h"
#include "store/care/repairs.h"
#include "store/connection.h"
#include "store/kernel_hash.h"
#include "store/schema.h"
#include "store/schema_check.h"
#include "store/seals.h"
#include "store/write/worths.h"

namespace coppice::store {
namespace {

// One damaged page can spoil a million rows: the first few tell which.
constexpr int kLinesPerCheck = 20;

class Findings {
 public:
  void Add(std::string line) {
    if (++in_check_ < kLinesPerCheck) {
      lines_.push_back(std::move(line));
    } else if (in_check_ == kLinesPerCheck) {
      lines_.push_back(std::move(line) + " (and perhaps more)");
    }
  }
  void NextCheck() { in_check_ = 0; }
  std::vector<std::string> Take() { return std::move(lines_); }

 private:
  std::vector<std::string> lines_;
  int in_check_ = 0;
};

// Each selects a line for everything that is wrong.
constexpr const char* kChecks[] = {
    // Orphans.
    R"sql(
SELECT 'blob ' || blob_id || ' belongs to nothing' FROM blob
WHERE blob_id NOT IN (
  SELECT task_blob FROM campaign
  UNION ALL SELECT annotated_blob FROM plan
  UNION ALL SELECT source_blob FROM attempt WHERE source_blob IS NOT NULL
  UNION ALL SELECT system_prompt_blob FROM model_call
  UNION ALL SELECT user_prompt_blob FROM model_call
  UNION ALL SELECT answer_blob FROM model_call WHERE answer_blob IS NOT NULL
  UNION ALL SELECT template_blob FROM model_call
    WHERE template_blob IS NOT NULL
  UNION ALL SELECT request_blob FROM wire_call
  UNION ALL SELECT answer_blob FROM wire_call WHERE answer_blob IS NOT NULL
  UNION ALL SELECT arguments_blob FROM session_call
  UNION ALL SELECT answer_blob FROM session_call
    WHERE answer_blob IS NOT NULL
  UNION ALL SELECT source_blob FROM node WHERE source_blob IS NOT NULL
  UNION ALL SELECT source_blob FROM claim
  UNION ALL SELECT question_blob FROM assistant_turn
  UNION ALL SELECT request_blob FROM assistant_turn
  UNION ALL SELECT answer_blob FROM assistant_turn
    WHERE answer_blob IS NOT NULL
  UNION ALL SELECT text_blob FROM directive
  UNION ALL SELECT log_blob FROM evaluation
  UNION ALL SELECT profile_blob FROM evaluation
    WHERE profile_blob IS NOT NULL))sql",
    R"sql(
SELECT 'plan ' || plan_id || ' belongs to no attempt and no node' FROM plan
WHERE plan_id NOT IN (
  SELECT plan_id FROM attempt WHERE plan_id IS NOT NULL
  UNION ALL SELECT plan_id FROM node WHERE plan_id IS NOT NULL))sql",
    R"sql(
SELECT 'environment ' || environment_id || ' belongs to no evaluation'
FROM environment
WHERE environment_id NOT IN (SELECT environment_id FROM evaluation))sql",
    R"sql(
SELECT 'workload ' || uuid || ' belongs to no result' FROM workload
WHERE workload_id NOT IN (SELECT workload_id FROM workload_result))sql",

    // Numbering and cached counters.
    R"sql(
SELECT 'campaign ' || c.name || ': its nodes are not numbered 0 to '
         || (count(*) - 1)
FROM campaign c JOIN node n USING (campaign_id)
GROUP BY campaign_id HAVING max(n.number) <> count(*) - 1)sql",
    R"sql(
SELECT 'campaign ' || c.name || ': its decisions are not numbered 0 to '
         || (count(*) - 1)
FROM campaign c JOIN attempt a USING (campaign_id)
GROUP BY campaign_id HAVING max(a.decision) <> count(*) - 1)sql",

    // Attempts and nodes, one to one.
    R"sql(
SELECT 'attempt ' || attempt_id || ' is committed but has no node'
FROM attempt a WHERE stage = 3
  AND NOT EXISTS (SELECT 1 FROM node n WHERE n.attempt_id = a.attempt_id))sql",
    R"sql(
SELECT 'attempt ' || a.attempt_id || ' has node ' || n.number
         || ' but is not committed'
FROM node n JOIN attempt a USING (attempt_id) WHERE a.stage <> 3)sql",
    R"sql(
SELECT 'node ' || n.number || ' and its attempt ' || a.attempt_id
         || ' differ in campaign, parent or source'
FROM node n JOIN attempt a USING (attempt_id)
WHERE a.campaign_id <> n.campaign_id OR a.parent_number <> n.parent_number
   OR (a.source_blob IS NOT n.source_blob) <> (n.written_hash IS NOT NULL)
)sql",
    R"sql(
SELECT 'node ' || node_number || ' has not one chosen trial of its tuning'
FROM tuning_trial GROUP BY campaign_id, node_number
HAVING sum(chosen) <> 1 OR max(ordinal) <> count(*) - 1)sql",

    // Stages, products and calls.
    R"sql(
SELECT 'attempt ' || attempt_id || ' has a plan but no answered plan call'
FROM attempt a WHERE plan_id IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM model_call m
    WHERE m.attempt_id = a.attempt_id AND m.role = 0 AND m.outcome = 1))sql",
    R"sql(
SELECT 'attempt ' || attempt_id || ' has a candidate but no answered call'
FROM attempt a WHERE source_blob IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM model_call m
    WHERE m.attempt_id = a.attempt_id AND m.role <> 0 AND m.outcome = 1)
  AND NOT EXISTS (SELECT 1 FROM claim m WHERE m.attempt_id = a.attempt_id)
  AND NOT EXISTS (SELECT 1 FROM directive d
    WHERE d.directive_id = a.directive_id AND d.kind = 'insert')
)sql",
    R"sql(
SELECT 'attempt ' || a.attempt_id || ' was chosen by a person, and no directive'
         || ' that held then says so'
FROM attempt a LEFT JOIN directive d USING (directive_id)
WHERE (a.policy = 'human') <> (a.directive_id IS NOT NULL)
   OR (a.directive_id IS NOT NULL
       AND (d.campaign_id IS NOT a.campaign_id
            OR d.outcome IS NOT 'applied' OR d.kind NOT IN ('boost', 'insert')
            OR d.node_number IS NOT a.parent_number
            OR d.effective_decision > a.decision)))sql",
    R"sql(
SELECT 'directive ' || directive_id || ' holds from a decision on that was'
         || ' not to be made yet'
FROM directive d JOIN campaign c USING (campaign_id)
WHERE d.effective_decision > c.attempts)sql",
    R"sql(
SELECT 'directive ' || l.directive_id || ' lifts what is not before it'
FROM directive l LEFT JOIN directive d ON d.directive_id = l.target_id
WHERE l.target_id IS NOT NULL AND d.campaign_id IS NOT l.campaign_id)sql",
    R"sql(
SELECT 'claim ' || m.claim_id || ' and attempt ' || a.attempt_id
         || ' differ in campaign or source'
FROM claim m JOIN attempt a USING (attempt_id)
WHERE a.campaign_id <> m.campaign_id OR a.source_blob IS NOT m.source_blob)sql",
    R"sql(
SELECT 'attempt ' || attempt_id || ' saw more than there was to see'
FROM attempt a JOIN campaign c USING (campaign_id)
WHERE a.nodes_seen > c.nodes OR a.nodes_seen <= a.parent_number)sql",
    R"sql(
SELECT 'attempt ' || a.attempt_id || ' combines node ' || a.parent_number
         || ' with what it did not see, or with itself'
FROM attempt_parent p JOIN attempt a USING (attempt_id)
WHERE p.campaign_id <> a.campaign_id OR p.parent_number = a.parent_number
   OR p.parent_number NOT BETWEEN 0 AND a.nodes_seen - 1)sql",

    R"sql(
SELECT 'attempt ' || attempt_id || ' asks ' || k.model || ', which is none of '
         || k.models
FROM attempt_model k
WHERE instr(',' || k.models || ',',
            ',' || replace(k.model, ',', '\,') || ',') = 0)sql",
    R"sql(
SELECT 'attempt ' || attempt_id || ' has other answers of a '
         || r.name || ' agent than its calls'
FROM attempt_model k JOIN attempt a USING (attempt_id) JOIN role r USING (role)
WHERE k.answers IS NOT iif(a.stage = 3, (SELECT count(*) FROM model_call m
  WHERE m.attempt_id = k.attempt_id AND m.role = k.role AND m.outcome = 1),
  NULL))sql",

    // Calls on the wire.
    R"sql(
SELECT 'call ' || call_id || ' was answered ' || count(*) || ' times'
FROM wire_call WHERE outcome = 1 GROUP BY call_id HAVING count(*) > 1)sql",
    R"sql(
SELECT 'call ' || w.call_id || ' was shown a node of another campaign'
FROM window_entry w JOIN model_call m USING (call_id)
JOIN attempt a USING (attempt_id) WHERE a.campaign_id <> w.campaign_id)sql",
    R"sql(
SELECT 'call ' || m.call_id || ' cut ' || m.nodes_cut
         || ' nodes from its window, and its runs of them are others'
FROM model_call m JOIN attempt a USING (attempt_id)
JOIN campaign c USING (campaign_id)
LEFT JOIN window_cut w USING (call_id)
GROUP BY m.call_id
HAVING (m.nodes_cut = 0) <> (count(w.call_id) = 0)
   OR m.nodes_cut < count(w.call_id) OR max(w.last_node) >= c.nodes)sql",

    // Evaluations.
    R"sql(
SELECT 'node ' || n.number || ' of campaign ' || c.name
         || ' does not have the tokens of node ' || n.same_as
FROM node n JOIN campaign c USING (campaign_id)
LEFT JOIN node o ON o.campaign_id = n.campaign_id AND o.number = n.same_as
WHERE n.same_as IS NOT NULL
  AND (o.kernel_hash IS NOT n.kernel_hash OR o.same_as IS NOT NULL))sql",
    R"sql(
SELECT 'node ' || e.node_number || ' of campaign ' || c.name
         || ' has evaluations, but the tokens of node ' || n.same_as
FROM evaluation e JOIN campaign c USING (campaign_id)
JOIN node n ON n.campaign_id = e.campaign_id AND n.number = e.node_number
WHERE n.same_as IS NOT NULL)sql",
    R"sql(
SELECT coalesce('node ' || node_number, 'baseline ' || baseline)
         || ': its evaluations are not numbered 0 to '
         || (count(*) - 1)
FROM evaluation GROUP BY campaign_id, node_number, baseline
HAVING max(ordinal) <> count(*) - 1)sql",

    // Chains of differences.
    R"sql(
SELECT 'blob ' || b.blob_id || ' has a wrong depth or base'
FROM blob b LEFT JOIN blob s ON s.blob_id = b.base_blob
WHERE b.base_blob IS NOT NULL
  AND (s.blob_id IS NULL OR b.base_blob >= b.blob_id OR b.depth <> s.depth + 1)
)sql",
};

void CheckIntegrity(Connection& connection, Findings& findings) {
  SQLite::Statement read(connection.sqlite(), "PRAGMA integrity_check");
  while (read.executeStep()) {
    const std::string line = read.getColumn(0).getString();
    if (line != "ok") findings.Add("integrity: " + line);
  }
}

void CheckReferences(Connection& connection, Findings& findings) {
  SQLite::Statement read(connection.sqlite(), "PRAGMA foreign_key_check");
  while (read.executeStep()) {
    const std::string row = read.getColumn(1).getString();
    findings.Add("a row of " + read.getColumn(0).getString() +
                 (row.empty() ? "" : " (" + row + ")") + " refers to a " +
                 read.getColumn(2).getString() + " that is missing");
  }
}

void CheckSql(Connection& connection, const char* sql, Findings& findings) {
  SQLite::Statement read(connection.sqlite(), sql);
  while (read.executeStep()) findings.Add(read.getColumn(0).getString());
}

void CheckTexts(Connection& connection, Findings& findings) {
  connection.blobs().Forget();
  SQLite::Statement read(connection.sqlite(),
                         "SELECT blob_id FROM blob ORDER BY blob_id");
  while (read.executeStep()) {
    const auto id = static_cast<BlobId>(read.getColumn(0).getInt64());
    if (auto text = connection.blobs().Text(id); !text) {
      findings.Add(text.error().what);
    }
  }
}

void CheckKernelHashes(Connection& connection, Findings& findings) {
  SQLite::Statement read(
      connection.sqlite(),
      "SELECT number, kernel_hash, source_blob, language, entry_symbol"
      " FROM node WHERE source_blob IS NOT NULL");
  while (read.executeStep()) {
    const auto blob = static_cast<BlobId>(read.getColumn(2).getInt64());
    const auto source = connection.blobs().Text(blob);
    if (!source) continue;  // CheckTexts says so.
    const Candidate candidate{static_cast<Language>(read.getColumn(3).getInt()),
                              *source, read.getColumn(4).getString()};
    const auto stored =
        std::bit_cast<std::uint64_t>(read.getColumn(1).getInt64());
    if (stored != KernelHash(candidate) &&
        stored != KernelHashBefore(candidate)) {
      findings.Add("node " + read.getColumn(0).getString() +
                   " has not the hash of its tokens");
    }
  }
}

void CheckWorths(Connection& connection, Findings& findings) {
  for (const Misjudged& each : FindMisjudged(connection)) {
    findings.Add(each.what);
  }
}

// What an older format has is not known here, nor used as it is.
bool IsOfOurFormat(Connection& connection) {
  return connection.sqlite().execAndGet("PRAGMA user_version").getInt64() ==
         kFormatVersion;
}

void CheckSchema(Connection& connection, Findings& findings) {
  for (std::string& line : FindStrange(connection)) {
    findings.Add(std::move(line));
  }
}

void CheckSeals(Connection& connection, std::size_t table, Findings& findings) {
  Seals& seals = connection.seals();
  for (const auto& [block, difference] : seals.Differences(table)) {
    findings.Add("rows of " + seals.Describe(block) +
                 " are not as coppice wrote them");
  }
}

void CheckSealsOfNothing(Connection& connection, Findings& findings) {
  for (const std::string& table : connection.seals().FindTablesOfNothing()) {
    findings.Add("there are seals of " + table +
                 ", which is none of the tables");
  }
}

// Damage that stops one check must not hide what the others find.
template <class Check>
void RunCheck(Connection& connection, Findings& findings, Check&& check) {
  findings.NextCheck();
  try {
    check();
  } catch (const SQLite::Exception& exception) {
    findings.Add(Explain(connection.path(), exception).what);
  }
}

}  // namespace

Result<std::vector<std::string>> Diagnose(Database& database) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::vector<std::string>> {
    Findings findings;
    const auto run = [&](auto&& check) {
      RunCheck(connection, findings, check);
    };
    run([&] { CheckIntegrity(connection, findings); });
    if (IsOfOurFormat(connection)) {
      run([&] { CheckSchema(connection, findings); });
      const std::size_t tables = connection.seals().tables().size();
      for (std::size_t i = 0; i < tables; ++i) {
        run([&] { CheckSeals(connection, i, findings); });
      }
      run([&] { CheckSealsOfNothing(connection, findings); });
    }
    run([&] { CheckReferences(connection, findings); });
    for (const char* sql : kChecks) {
      run([&] { CheckSql(connection, sql, findings); });
    }
    for (const auto& mends : {Endings(), Recounts()}) {
      for (const RepairRule& mend : mends) {
        run([&] { CheckSql(connection, mend.findings, findings); });
      }
    }
    run([&] { CheckTexts(connection, findings); });
    run([&] { CheckKernelHashes(connection, findings); });
    run([&] { CheckWorths(connection, findings); });
    return findings.Take();
  });
}

}  // namespace coppice::store
