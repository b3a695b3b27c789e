#include "store/read/plain_export.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "store/connection.h"
#include "store/partial_file.h"

namespace coppice::store {
namespace {

constexpr std::string_view kSuffix = "_blob";

// The view `lineage` of schema.sql, on the table that `nodes` is in the copy.
constexpr const char* kLineage = R"sql(
CREATE VIEW lineage AS
SELECT n.campaign, n.node, step.key AS generation, m.node AS ancestor,
       m.verdict, m.runtime_s, m.speedup, m.technique, m.advice
FROM nodes n
CROSS JOIN json_each((
  WITH RECURSIVE up (node, parent) AS (
    SELECT n.node, n.parent
    UNION ALL
    SELECT q.node, q.parent FROM up
    JOIN nodes q ON q.campaign = n.campaign AND q.node = up.parent
  )
  SELECT json_group_array(node)
  FROM (SELECT node FROM up ORDER BY node))) AS step
CROSS JOIN nodes m ON m.campaign = n.campaign AND m.node = step.value)sql";

struct Column {
  std::string name;  // In the copy.
  std::string type;  // As declared; empty if computed.
  bool is_text_blob = false;
};

std::vector<Column> ColumnsOf(const SQLite::Statement& select) {
  std::vector<Column> columns;
  for (int i = 0; i < select.getColumnCount(); ++i) {
    Column column;
    column.name = select.getColumnName(i);
    if (column.name.ends_with(kSuffix)) {
      column.name.resize(column.name.size() - kSuffix.size());
      column.type = "TEXT";
      column.is_text_blob = true;
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

void CreateTable(SQLite::Database& copy, const std::string& table,
                 const std::vector<Column>& columns) {
  std::string sql;
  for (const Column& column : columns) {
    sql += (sql.empty() ? "" : ", ") + column.name + " " + column.type;
  }
  copy.exec("CREATE TABLE " + table + " (" + sql + ")");
}

// The columns that people look rows up by.
void CreateIndex(SQLite::Database& copy, const std::string& table,
                 const std::vector<Column>& columns) {
  for (const char* key : {"node", "decision"}) {
    const bool has =
        std::any_of(columns.begin(), columns.end(),
                    [key](const Column& column) { return column.name == key; });
    if (!has) continue;
    std::string create = "CREATE INDEX ";
    create.append(table).append("_by_").append(key);
    create.append(" ON ").append(table).append(" (campaign, ");
    create.append(key).append(")");
    copy.exec(create);
  }
}

Result<void> CopyValue(Connection& connection, const Column& column,
                       const SQLite::Column& value, SQLite::Statement& insert,
                       int index) {
  if (value.isNull()) {
    insert.bind(index);
  } else if (column.is_text_blob) {
    TRY(text, connection.blobs().Text(static_cast<BlobId>(value.getInt64())));
    insert.bind(index, text);
  } else if (value.isInteger()) {
    insert.bind(index, value.getInt64());
  } else if (value.isFloat()) {
    insert.bind(index, value.getDouble());
  } else {
    insert.bind(index, value.getString());
  }
  return {};
}

// A failure here is the copy's, one while reading is the original's.
Result<void> Insert(SQLite::Statement& insert, SQLite::Database& copy) {
  try {
    insert.exec();
    insert.reset();
    return {};
  } catch (const SQLite::Exception& exception) {
    return tl::unexpected<Error>(Explain(copy.getFilename(), exception));
  }
}

Result<void> CopyView(Connection& connection, SQLite::Database& copy,
                      const std::string& view) {
  SQLite::Statement select(connection.sqlite(), "SELECT * FROM " + view);
  const std::vector<Column> columns = ColumnsOf(select);
  CreateTable(copy, view, columns);
  std::string places = "?";
  for (std::size_t i = 1; i < columns.size(); ++i) places += ", ?";
  SQLite::Statement insert(copy,
                           "INSERT INTO " + view + " VALUES (" + places + ")");
  while (select.executeStep()) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const int at = static_cast<int>(i);
      TRY_DONE(CopyValue(connection, columns[i], select.getColumn(at), insert,
                         at + 1));
    }
    TRY_DONE(Insert(insert, copy));
  }
  CreateIndex(copy, view, columns);
  return {};
}

Result<void> CopyViews(Connection& connection, SQLite::Database& copy) {
  SQLite::Statement views(connection.sqlite(),
                          "SELECT name FROM sqlite_schema WHERE type = 'view'"
                          " AND name <> 'lineage' ORDER BY name");
  while (views.executeStep()) {
    TRY_DONE(CopyView(connection, copy, views.getColumn(0).getString()));
  }
  return {};
}

}  // namespace

Result<void> ExportPlain(Database& database, const std::filesystem::path& to) {
  TRY(file, PartialFile::Begin(to));
  Connection& connection = database.connection();
  try {
    SQLite::Database copy(file.path().string(),
                          SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    // Nobody sees the copy before it is whole, so it needs no journal.
    copy.exec("PRAGMA journal_mode = OFF");
    copy.exec("PRAGMA synchronous = OFF");
    copy.exec("BEGIN");
    TRY_DONE(connection.Read(
        [&]() -> Result<void> { return CopyViews(connection, copy); }));
    copy.exec(kLineage);
    copy.exec("COMMIT");
  } catch (const SQLite::Exception& exception) {
    return tl::unexpected<Error>(Explain(to.string(), exception));
  }
  return file.Finish();
}

}  // namespace coppice::store
