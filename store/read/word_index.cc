#include "store/read/word_index.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace coppice::store {
namespace {

// "softmax OR rows": each word as a string, so that none is an operator.
std::string AnyWordOf(const std::string& text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : text + " ") {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || byte >= 0x80) {
      word += c;
    } else if (!word.empty()) {
      words.insert("\"" + word + "\"");
      word.clear();
    }
  }
  std::string query;
  for (const std::string& each : words) {
    query += (query.empty() ? "" : " OR ") + each;
  }
  return query;
}

void Insert(SQLite::Database& memory, const std::string& text) {
  SQLite::Statement insert(memory, "INSERT INTO document (text) VALUES (?)");
  insert.bind(1, text);
  insert.exec();
}

}  // namespace

Result<std::vector<double>> LikenessOf(std::span<const std::string> documents,
                                       const std::string& text) {
  std::vector<double> likeness(documents.size(), 0.0);
  const std::string query = AnyWordOf(text);
  if (documents.empty() || query.empty()) return likeness;
  try {
    SQLite::Database memory(":memory:",
                            SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    memory.exec(
        "CREATE VIRTUAL TABLE document"
        " USING fts5(text, tokenize = 'porter unicode61')");
    for (const std::string& document : documents) Insert(memory, document);
    Insert(memory, text);
    // bm25() is below 0, and lower for what matches better.
    SQLite::Statement find(memory,
                           "SELECT rowid, -bm25(document) FROM document"
                           " WHERE document MATCH ? ORDER BY rowid DESC");
    find.bind(1, query);
    double itself = 0.0;
    while (find.executeStep()) {
      const auto row = static_cast<std::size_t>(find.getColumn(0).getInt64());
      const double score = find.getColumn(1).getDouble();
      if (row > documents.size()) {
        itself = score;
      } else if (itself > 0.0) {
        likeness[row - 1] = std::clamp(score / itself, 0.0, 1.0);
      }
    }
  } catch (const SQLite::Exception& exception) {
    return Fail(Errc::kUnavailable,
                std::string("full-text search in SQLite: ") + exception.what());
  }
  return likeness;
}

}  // namespace coppice::store
