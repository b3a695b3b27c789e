#include "store/read/schema_guide.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "store/connection.h"
#include "store/schema.h"

namespace coppice::store {
namespace {

constexpr std::string_view kColumnIndent = "--   ";

std::string_view WithoutBlanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// What stands above a CREATE VIEW: sentences, then "--   a, b    of both".
class Comment {
 public:
  void Add(std::string_view line) {
    if (!line.starts_with(kColumnIndent)) {
      Append(sentences_, WithoutBlanks(line.substr(2)));
      names_.clear();
      return;
    }
    const std::string_view text = line.substr(kColumnIndent.size());
    const std::size_t gap = text.find("  ");
    if (text.starts_with(' ')) return Describe(WithoutBlanks(text));
    names_ = NamesIn(text.substr(0, gap));
    if (gap != text.npos) Describe(WithoutBlanks(text.substr(gap)));
  }

  const std::string& sentences() const { return sentences_; }
  std::string Of(const std::string& column) const {
    const auto found = of_columns_.find(column);
    return found == of_columns_.end() ? "" : found->second;
  }

 private:
  static void Append(std::string& text, std::string_view more) {
    if (!text.empty()) text += ' ';
    text += more;
  }
  static std::vector<std::string> NamesIn(std::string_view text) {
    std::vector<std::string> names;
    while (!text.empty()) {
      const std::string_view name = text.substr(0, text.find(','));
      text.remove_prefix(std::min(text.size(), name.size() + 1));
      const std::string_view trimmed = WithoutBlanks(name);
      names.emplace_back(trimmed.substr(0, trimmed.find(' ')));
    }
    return names;
  }
  void Describe(std::string_view text) {
    for (const std::string& name : names_) Append(of_columns_[name], text);
  }

  std::string sentences_;
  std::vector<std::string> names_;  // That the next lines are of.
  std::map<std::string, std::string> of_columns_;
};

// By name of the view.
std::vector<std::pair<std::string, Comment>> Comments() {
  constexpr std::string_view kCreate = "CREATE VIEW ";
  std::vector<std::pair<std::string, Comment>> comments;
  Comment above;
  std::string_view sql = ViewsSql();
  while (!sql.empty()) {
    const std::string_view line = sql.substr(0, sql.find('\n'));
    sql.remove_prefix(std::min(sql.size(), line.size() + 1));
    if (line.starts_with("--")) {
      above.Add(line);
      continue;
    }
    if (line.starts_with(kCreate)) {
      const std::string_view rest = line.substr(kCreate.size());
      comments.emplace_back(rest.substr(0, rest.find(' ')), std::move(above));
    }
    above = {};
  }
  return comments;
}

}  // namespace

Result<std::vector<GuidedView>> ReadSchemaGuide(Database& database) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::vector<GuidedView>> {
    std::vector<GuidedView> views;
    for (const auto& [name, comment] : Comments()) {
      GuidedView view{name, comment.sentences(), {}};
      Statement read =
          connection.Prepare("SELECT name FROM pragma_table_info(?)", name);
      while (read.Step()) {
        const std::string column = read.Text(0);
        view.columns.push_back({column, comment.Of(column)});
      }
      views.push_back(std::move(view));
    }
    return views;
  });
}

}  // namespace coppice::store
