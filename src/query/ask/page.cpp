#include "query/ask/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace opsight::query {
namespace {

using Is = RowFilter::Is;

struct Condition {
    std::string sql;  // " WHERE ...", or empty
    std::vector<std::pair<std::string, duck::Cell>> values;
    void add(const std::string& part) { sql += (sql.empty() ? " WHERE " : " AND ") + part; }
    // The name that stands for `value` in the statement.
    std::string value(duck::Cell value) {
        values.emplace_back(fmt::format("page_{}", values.size()), std::move(value));
        return "$" + values.back().first;
    }
};

// A statement over the relation of `rows`, with what the condition compares with.
duck::Statement over(const duck::Statement& rows, std::string text, const Condition& condition) {
    duck::Statement statement(std::move(text));
    statement.values = rows.values;
    statement.values.insert(statement.values.end(), condition.values.begin(), condition.values.end());
    return statement;
}

Error wrong_filter(std::string what, std::string remedy) {
    return {std::move(what), {}, {}, std::move(remedy), 2, ErrorCode::kWrongFilter};
}

const char* sql_operator(Is is) {
    switch (is) {
        case Is::kNotEqual:
            return "IS DISTINCT FROM";
        case Is::kLess:
            return "<";
        case Is::kAtMost:
            return "<=";
        case Is::kMore:
            return ">";
        case Is::kAtLeast:
            return ">=";
        case Is::kContains:
        case Is::kUnder:
        case Is::kEqual:
            break;
    }
    return "=";
}

template <class T>
bool read_whole(const std::string& text, T& value) {
    const auto end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    return result.ec == std::errc() && result.ptr == end;
}

// The value of a filter in the type of its column.
Result<duck::Cell> value_for(const RowFilter& filter, duck::Type type) {
    if (type == duck::Type::kVarchar) return duck::Cell(filter.value);
    if (type == duck::Type::kBoolean) {
        if (filter.value == "yes" || filter.value == "true") return duck::Cell(true);
        if (filter.value == "no" || filter.value == "false") return duck::Cell(false);
        return fail(wrong_filter(fmt::format("'{}' is neither yes nor no", filter.value),
                                 fmt::format("column {} is one of these", filter.column)));
    }
    int64_t whole = 0;
    double real = 0;
    if (read_whole(filter.value, whole)) return duck::Cell(whole);
    if (read_whole(filter.value, real)) return duck::Cell(real);
    return fail(
        wrong_filter(fmt::format("'{}' is not a number", filter.value),
                     fmt::format("column {} holds numbers; give times in nanoseconds", filter.column)));
}

Status add_filter(const RowFilter& filter, duck::Type type, Condition& condition) {
    const std::string column = duck::quote_name(filter.column);
    if (filter.is == Is::kContains) {
        condition.add(fmt::format("contains(lower(CAST({} AS VARCHAR)), lower({}))", column,
                                  condition.value(filter.value)));
        return {};
    }
    if (filter.is == Is::kUnder) {
        const std::string path = filter.value.ends_with('/') ? filter.value : filter.value + '/';
        condition.add(
            fmt::format("starts_with(CAST({} AS VARCHAR) || '/', {})", column, condition.value(path)));
        return {};
    }
    if (filter.value.empty() && (filter.is == Is::kEqual || filter.is == Is::kNotEqual)) {
        condition.add(column + (filter.is == Is::kEqual ? " IS NULL" : " IS NOT NULL"));
        return {};
    }
    OPSIGHT_ASSIGN(duck::Cell value, value_for(filter, type));
    condition.add(
        fmt::format("{} {} {}", column, sql_operator(filter.is), condition.value(std::move(value))));
    return {};
}

Status add_filters(const std::vector<RowFilter>& filters, const std::vector<duck::ResultColumn>& columns,
                   Condition& condition) {
    for (const RowFilter& filter : filters) {
        const auto column = std::find_if(columns.begin(), columns.end(),
                                         [&](const auto& c) { return c.name == filter.column; });
        if (column == columns.end()) {
            std::string keys;
            for (const duck::ResultColumn& each : columns)
                keys += (keys.empty() ? "" : ", ") + each.name;
            return fail(wrong_filter(fmt::format("there is no column '{}' to filter by", filter.column),
                                     "the columns are " + keys));
        }
        OPSIGHT_TRY(add_filter(filter, column->type, condition));
    }
    return {};
}

// What a search looks at in a column of text: also how the page words it.
std::string searched_text(const Column& column) {
    const std::string name = duck::quote_name(column.key);
    if (column.role == Role::kDirection) return fmt::format("searched_direction({})", name);
    if (column.role == Role::kShapes) return fmt::format("searched_shapes({})", name);
    return name;
}

Result<Condition> condition_of(const Page& page, const std::vector<Column>& described,
                               const std::vector<duck::ResultColumn>& columns) {
    Condition condition;
    if (!page.search.empty()) {
        std::string any;
        const std::string wanted = condition.value(page.search);
        for (const duck::ResultColumn& column : columns) {
            const auto known = std::find_if(described.begin(), described.end(),
                                            [&](const Column& each) { return each.key == column.name; });
            if (known == described.end() || column.type != duck::Type::kVarchar) continue;
            any += fmt::format("{}contains(lower({}), lower({}))", any.empty() ? "" : " OR ",
                               searched_text(*known), wanted);
        }
        condition.add(any.empty() ? "false" : "(" + any + ")");
    }
    OPSIGHT_TRY(add_filters(page.filters, columns, condition));
    return condition;
}

Result<int64_t> number(Session& session, const duck::Statement& statement) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(statement));
    return std::get<int64_t>(rows.rows.at(0)[0]);
}

// SQL that is true where row `a` comes before row `r` in this order.
std::string comes_before(const RowOrder& order) {
    std::string sql, equal;
    for (const auto& [key, descending] : order) {
        const std::string name = duck::quote_name(key);
        sql += fmt::format("{0}{1}(a.{2} {3} r.{2} OR a.{2} IS NOT NULL AND r.{2} IS NULL)",
                           sql.empty() ? "" : " OR ", equal, name, descending ? ">" : "<");
        equal += fmt::format("a.{0} IS NOT DISTINCT FROM r.{0} AND ", name);
    }
    return sql.empty() ? "false" : sql;
}

// As a relation of another statement.
std::string relation_of(const duck::Statement& rows) {
    return "(" + rows.text + "\n)";
}

// The rows of a question in its own columns: of others, which a statement may have besides, nobody can search
// or filter.
duck::Statement rows_of(const Question& question) {
    std::string columns;
    for (const Column& column : question.columns)
        columns += (columns.empty() ? "" : ", ") + duck::quote_name(column.key);
    duck::Statement rows = question.rows;
    rows.text = fmt::format("SELECT {} FROM ({}\n)", columns, rows.text);
    return rows;
}

// How many rows of the page's table come before the wanted one. Counted, not numbered: that needs no window.
Status find_place(Session& session, const duck::Statement& rows, const Condition& chosen,
                  const RowOrder& order, const std::vector<RowFilter>& wanted, ResultTable& table) {
    const std::string relation = relation_of(rows);
    OPSIGHT_ASSIGN(const duck::Rows none, session.query(over(rows, "FROM " + relation + " LIMIT 0", {})));
    Condition row = chosen;
    OPSIGHT_TRY(add_filters(wanted, none.columns, row));
    OPSIGHT_ASSIGN(
        const duck::Rows found,
        session.query(over(rows,
                           fmt::format("WITH r AS MATERIALIZED (SELECT * FROM {0}{1}{2} LIMIT 1), "
                                       "chosen AS (SELECT * FROM {0}{3}) "
                                       "SELECT (SELECT count(*) FROM r), (SELECT count(*) FROM chosen a, r "
                                       "WHERE {4})",
                                       relation, row.sql, order_sql(order), chosen.sql, comes_before(order)),
                           row)));
    if (std::get<int64_t>(found.rows.at(0)[0]) > 0) table.place = std::get<int64_t>(found.rows.at(0)[1]);
    return {};
}

// Works the rows out once, into a temporary table.
Result<duck::Statement> kept_rows(Session& session, const Question& question, const std::string& name) {
    auto kept = std::make_shared<KeptTable>();
    OPSIGHT_ASSIGN(const std::string relation, session.keep(name, rows_of(question), kept));
    kept->question = question;
    kept->question.rows = duck::Statement("FROM " + relation);
    return kept->question.rows;
}

}  // namespace

std::shared_ptr<KeptTable> kept_table(Session& session, const std::string& name) {
    const std::any with = session.kept(name);
    return with.has_value() ? std::any_cast<std::shared_ptr<KeptTable>>(with) : nullptr;
}

std::string order_sql(const RowOrder& order) {
    std::string sql;
    for (const auto& [key, descending] : order)
        sql += fmt::format("{}{} {} NULLS LAST", sql.empty() ? " ORDER BY " : ", ", duck::quote_name(key),
                           descending ? "DESC" : "ASC");
    return sql;
}

Status take_page(Session& session, const Question& question, const RowOrder& order, const Page& page,
                 ResultTable& table) {
    const bool large = !question.counted.text.empty();
    duck::Statement rows = rows_of(question);
    if (!large && !page.keep_as.empty()) {
        OPSIGHT_ASSIGN(rows, kept_rows(session, question, page.keep_as));
    }
    const std::string relation = relation_of(rows);
    Condition condition;
    if (!page.search.empty() || !page.filters.empty()) {
        OPSIGHT_ASSIGN(const duck::Rows none, session.query(over(rows, "FROM " + relation + " LIMIT 0", {})));
        OPSIGHT_ASSIGN(condition, condition_of(page, question.columns, none.columns));
    }
    std::string shown;
    for (const Column& column : table.columns)
        shown += (shown.empty() ? "" : ", ") + duck::quote_name(column.key);
    std::string sql = fmt::format("SELECT {} FROM {}{}{}", shown, relation, condition.sql, order_sql(order));
    if (page.size > 0) sql += fmt::format(" LIMIT {} OFFSET {}", page.size, page.first);
    const duck::Statement wanted = over(rows, sql, condition);
    if (page.streamed) {
        OPSIGHT_ASSIGN(duck::Cursor cursor, session.open_cursor(wanted));
        table.stream = std::make_shared<duck::Cursor>(std::move(cursor));
        return {};
    }
    const std::string counting = "SELECT count(*) FROM " + relation;
    OPSIGHT_ASSIGN(table.rows_in_all, number(session, large ? question.counted : over(rows, counting, {})));
    table.rows_matching = table.rows_in_all;
    if (!condition.sql.empty()) {
        OPSIGHT_ASSIGN(table.rows_matching, number(session, over(rows, counting + condition.sql, condition)));
    }
    if (!page.place_of.empty())
        OPSIGHT_TRY(find_place(session, rows, condition, order, page.place_of, table));
    OPSIGHT_ASSIGN(duck::Rows answer, session.query(wanted));
    table.rows = std::move(answer.rows);
    return {};
}

}  // namespace opsight::query
