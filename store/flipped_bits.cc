#include "store/flipped_bits.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>

#include "store/connection.h"

namespace coppice::store {
namespace {

// Some ten seconds for a block.
constexpr std::size_t kMostBytesHashed = std::size_t{8} << 30;

// A value in the bytes of a row (store/sealed_row.h).
struct Stretch {
  char type = 'n';
  std::size_t at = 0;  // Of what comes after its type and length.
  std::size_t size = 0;
};

std::uint64_t NumberAt(std::string_view bytes, std::size_t at) {
  std::uint64_t number = 0;
  for (std::size_t i = 8; i-- > 0;) {
    number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return number;
}

void PutNumber(std::string& bytes, std::size_t at, std::uint64_t number) {
  for (std::size_t i = 0; i < 8; ++i, number >>= 8) {
    bytes[at + i] = static_cast<char>(number & 0xff);
  }
}

// Of the columns, in their order.
std::vector<Stretch> StretchesIn(std::string_view bytes) {
  std::vector<Stretch> stretches;
  for (std::size_t at = 0; at < bytes.size();) {
    Stretch stretch{bytes[at], at + 1, 0};
    if (stretch.type == 'i' || stretch.type == 'r') {
      stretch.size = 8;
    } else if (stretch.type != 'n') {
      stretch.size = static_cast<std::size_t>(NumberAt(bytes, at + 1));
      stretch.at += 8;
    }
    stretches.push_back(stretch);
    at = stretch.at + stretch.size;
  }
  stretches.erase(stretches.begin());  // The table's name.
  return stretches;
}

// What an integer can have been before a bit of it flipped.  SQLite stores it
// in 1, 2, 3, 4, 6 or 8 bytes, the first bit of which is its sign.
std::vector<std::uint64_t> Flipped(std::uint64_t number) {
  std::vector<std::uint64_t> candidates;
  for (int bit = 0; bit < 64; ++bit) {
    candidates.push_back(number ^ std::uint64_t{1} << bit);
  }
  for (const int bytes : {1, 2, 3, 4, 6}) {
    candidates.push_back(number ^ ~std::uint64_t{0} << (8 * bytes - 1));
  }
  return candidates;
}

// SQLite stores a real number without a fraction as an integer.
std::vector<std::uint64_t> FlippedReal(std::uint64_t number) {
  std::vector<std::uint64_t> candidates = Flipped(number);
  const auto real = std::bit_cast<double>(number);
  constexpr double kLargestInSixBytes = 140737488355328.0;
  if (std::abs(real) < kLargestInSixBytes && real == std::trunc(real)) {
    const auto integer = static_cast<std::int64_t>(real);
    for (const std::uint64_t each :
         Flipped(static_cast<std::uint64_t>(integer))) {
      candidates.push_back(std::bit_cast<std::uint64_t>(
          static_cast<double>(std::bit_cast<std::int64_t>(each))));
    }
  }
  return candidates;
}

// Changes one value of `row` by one bit at a time, until `is_right`.
bool FlipUntil(std::string& row, const Stretch& stretch,
               const std::function<bool()>& is_right) {
  if (stretch.type == 'i' || stretch.type == 'r') {
    const std::uint64_t number = NumberAt(row, stretch.at);
    for (const std::uint64_t each :
         stretch.type == 'i' ? Flipped(number) : FlippedReal(number)) {
      PutNumber(row, stretch.at, each);
      if (is_right()) return true;
    }
    PutNumber(row, stretch.at, number);
    return false;
  }
  for (std::size_t i = stretch.at; i < stretch.at + stretch.size; ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      row[i] = static_cast<char>(row[i] ^ 1 << bit);
      if (is_right()) return true;
      row[i] = static_cast<char>(row[i] ^ 1 << bit);
    }
  }
  return false;
}

struct Flip {
  std::string row;    // As it is,
  std::string right;  // and as it was.
  std::size_t column = 0;
};

std::optional<Flip> FindFlip(Seals& seals, const Block& block,
                             std::uint64_t difference) {
  std::optional<Flip> found;
  std::size_t hashed = 0;
  seals.ForEachRow(block.table, [&](const Block& of_row, const SealedRow& row) {
    if (of_row != block || found) return;
    const std::uint64_t wanted = row.Hash() - difference;
    std::string bytes = row.bytes();
    const std::vector<Stretch> stretches = StretchesIn(bytes);
    for (std::size_t i = 0; i < stretches.size() && !found; ++i) {
      const bool is_it = FlipUntil(bytes, stretches[i], [&] {
        hashed += bytes.size();
        return hashed < kMostBytesHashed && HashOfRow(bytes) == wanted;
      });
      if (is_it) found = Flip{row.bytes(), bytes, i};
    }
  });
  return found;
}

void BindValue(SQLite::Statement& statement, int index, std::string_view row,
               const Stretch& stretch) {
  const std::string value(row.substr(stretch.at, stretch.size));
  switch (stretch.type) {
    case 'i':
      statement.bind(index,
                     std::bit_cast<std::int64_t>(NumberAt(row, stretch.at)));
      return;
    case 'r':
      statement.bind(index, std::bit_cast<double>(NumberAt(row, stretch.at)));
      return;
    case 't':
      statement.bind(index, value);
      return;
    case 'b':
      statement.bind(index, static_cast<const void*>(value.data()),
                     static_cast<int>(value.size()));
      return;
    default:
      statement.bind(index);
  }
}

void PutBack(Connection& connection, const SealedTable& table,
             const Flip& flip) {
  std::string sql = "UPDATE main." + QuotedName(table.name) + " SET " +
                    QuotedName(table.columns[flip.column]) + " = ? WHERE ";
  for (const std::size_t key : table.key) {
    sql += (key == table.key.front() ? "" : " AND ") +
           QuotedName(table.columns[key]) + " IS ?";
  }
  SQLite::Statement update(connection.sqlite(), sql);
  int index = 0;
  BindValue(update, ++index, flip.right, StretchesIn(flip.right)[flip.column]);
  const std::vector<Stretch> stretches = StretchesIn(flip.row);
  for (const std::size_t key : table.key) {
    BindValue(update, ++index, flip.row, stretches[key]);
  }
  update.exec();
}

// Whether the seal holds then.  Else nothing is changed.
bool TryToPutBack(Connection& connection, const Block& block,
                  const Flip& flip) {
  Seals& seals = connection.seals();
  const SealedTable& table = seals.tables()[block.table];
  const auto is_right = [&](bool with_indexes) {
    connection.Prepare("SAVEPOINT flip").Run();
    bool is_done = false;
    try {
      // Those may have what the row had before: then it cannot be changed.
      if (with_indexes) {
        connection.sqlite().exec("REINDEX main." + QuotedName(table.name));
      }
      PutBack(connection, table, flip);
      is_done = !seals.Differences(block.table).contains(block);
    } catch (const SQLite::Exception&) {
      is_done = false;  // So it stays a finding.
    }
    // What has come and gone is as it was sealed.
    seals.set_pending({});
    if (!is_done) connection.Prepare("ROLLBACK TO flip").Run();
    connection.Prepare("RELEASE flip").Run();
    return is_done;
  };
  return is_right(false) || is_right(true);
}

}  // namespace

std::vector<std::string> PutBackFlippedBits(Connection& connection,
                                            Sums& differences) {
  std::vector<std::string> lines;
  Seals& seals = connection.seals();
  for (auto at = differences.begin(); at != differences.end();) {
    const Block block = at->first;
    const SealedTable& table = seals.tables()[block.table];
    const auto flip =
        table.key.empty() ? std::nullopt : FindFlip(seals, block, at->second);
    if (flip && TryToPutBack(connection, block, *flip)) {
      lines.push_back("a bit of " + table.columns[flip->column] +
                      " had changed in rows of " + seals.Describe(block));
      at = differences.erase(at);
    } else {
      ++at;
    }
  }
  connection.blobs().Forget();
  return lines;
}

}  // namespace coppice::store
