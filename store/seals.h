// Whether rows are as coppice wrote them.  Every writer of ours adds up the
// hashes of the rows that are there, modulo 2^64, in blocks of 64 keys; the sum
// of a block is its seal (table `seal`).  A row that is changed, lost or added
// by anybody else leaves a block whose rows add up to something else.
//
// A sum needs no order, so that rows may change as they do (leases, ends of
// calls, counters): what goes is taken away, what comes is added.  The method
// is MSet-Add-Hash (Clarke, Devadas, van Dijk, Gassend, Suh: Incremental
// Multiset Hash Functions, Asiacrypt 2003).  No key is in it: it finds damage,
// and no forger who adds up anew.
//
// Triggers of the connection's own tell of each row, so that no statement can
// forget one.  They are in no file: a file's own triggers never run.  Only of
// rows that come by the hundred their writer tells itself, which takes half the
// time.  Who forgets to, or deletes a row, which nobody does, leaves what looks
// like damage.  Sums that triggers keep (store/summary_tables.sql) have no
// seal.
#pragma once

#include <sqlite3.h>

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/sealed_row.h"

namespace coppice::store {

class Connection;

struct SealedTable {
  std::string name;
  std::vector<std::string> columns;  // Those that are stored.
  // Places in `columns` of what tells the block: campaign_id where the key
  // begins with it and goes on, and the number that follows, or is first.
  std::optional<std::size_t> campaign;
  std::optional<std::size_t> number;
};

// 64 keys of a table: numbers 64 * `number` to 64 * `number` + 63.
struct Block {
  std::size_t table = 0;  // Place in Seals::tables().
  std::int64_t campaign = 0;
  std::int64_t number = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): of its comparison with 0.
  auto operator<=>(const Block&) const = default;
};

using Sums = std::map<Block, std::uint64_t>;  // Without those that are 0.

class Seals {
 public:
  explicit Seals(Connection& connection);

  // From now on rows that come and go are added up.  It is called once, on a
  // connection that may write.
  void Keep();

  // A row of one of kToldOf has come, in a transaction: its values in the order
  // of the table's columns, the first of which tells the block.
  template <class First, class... Rest>
  void Came(std::string_view table, const First& first, const Rest&... rest) {
    row_.Begin(table);
    row_.Add(first);
    (row_.Add(rest), ...);
    CountTold(table, static_cast<std::int64_t>(first));
  }
  static constexpr std::array<std::string_view, 5> kToldOf = {
      "blob", "sample", "score", "window_cut", "window_entry"};

  // Puts what has been added up into the file.  REQUIRES: in a transaction.
  void Write();
  // After a roll-back: what was added up has not happened.
  void Forget() {
    pending_.clear();
    ids_.clear();
  }

  // Makes all seals from what the rows are now, whatever they were.
  // REQUIRES: in a transaction.
  void MakeAnew();

  // All but those of names, which schema.sql fills; with sqlite_schema, whose
  // texts are rows like others.
  const std::vector<SealedTable>& tables();
  // What the rows of a table add up to, less their seals: where they differ.
  Sums Differences(std::size_t table);
  Sums Differences();
  // What seals are of, and is no table of ours.
  std::vector<std::string> FindTablesOfNothing();
  // "node (campaign_id 1, number 64 to 127)"
  std::string Describe(const Block& block);

  // What has come and gone in this transaction, and has not been written.
  Sums pending() const { return pending_; }
  void set_pending(Sums pending) { pending_ = std::move(pending); }

  // For the triggers: a row came (1) or went (-1).
  void Count(int sign, std::size_t table, std::span<sqlite3_value* const> row);

 private:
  void CountTold(std::string_view table, std::int64_t key);
  Sums Read(std::size_t table);
  using RowVisitor = std::function<void(const Block&, const SealedRow&)>;
  // All rows of a table.
  void ForEachRow(std::size_t table, const RowVisitor& visit);
  // The id of the row of its seal, which is made if there is none.
  std::int64_t IdOf(const Block& block);

  Connection& connection_;
  std::vector<SealedTable> tables_;
  Sums pending_;
  std::map<Block, std::int64_t> ids_;  // Of those used lately.
  SealedRow row_;
};

// A name in SQL.
std::string QuotedName(std::string_view name);

}  // namespace coppice::store
