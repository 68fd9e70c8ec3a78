#include "fleet/facts/run_row.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

#include "advise/advise.h"
#include "fleet/facts/fact_rows.h"
#include "fleet/facts/sql.h"
#include "query/reports/headline.h"
#include "query/reports/info.h"
#include "query/reports/rank_reports.h"
#include "query/session/cells.h"

namespace opsight::fleet {
namespace {

namespace fs = std::filesystem;
using query::Cell;

bool is_null(const Cell& cell) {
    return std::holds_alternative<std::monostate>(cell);
}

// A row that is filled by names, in the order of its table.
class Row {
  public:
    explicit Row(std::string_view table) : table_(*find_table(table)), cells_(table_.columns.size()) {}
    void set(std::string_view name, Cell value) {
        for (size_t i = 0; i < cells_.size(); ++i)
            if (table_.columns[i].name == name) cells_[i] = std::move(value);
    }
    // All columns of the table that the answer has, by their keys.
    void take(const query::ResultTable& answer, const FactRow& row) {
        for (size_t i = 0; i < cells_.size(); ++i)
            if (Cell cell = cell_of(answer, row, table_.columns[i].name); !is_null(cell))
                cells_[i] = std::move(cell);
    }
    FactRow cells() { return std::move(cells_); }

  private:
    const Table& table_;
    FactRow cells_;
};

Cell text_or_null(const std::string& text) {
    return text.empty() ? Cell{} : Cell{text};
}

int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

// Where a column of runs has another name than the report's.
constexpr std::pair<std::string_view, std::string_view> kHeadline[] = {
    {"wall_ns", "wall_clock_ns"},
    {"gpu_utilization_pct", "gpu_utilization_pct"},
    {"tensor_core_pct", "tensor_core_kernel_pct"},
    {"other_kernel_pct", "non_tensor_core_kernel_pct"},
    {"unknown_kernel_pct", "unknown_kernel_pct"},
    {"communication_pct", "communication_pct"},
    {"memory_pct", "memory_pct"},
    {"dataloader_pct", "dataloader_pct"},
    {"io_pct", "io_pct"},
    {"cpu_pct", "cpu_pct"},
    {"host_pct", "host_pct"},
    {"idle_pct", "idle_pct"},
};

Status take_headline(query::Session& session, Row& row) {
    OPSIGHT_ASSIGN(const query::ResultTable headline, query::headline(session, {}));
    const FactRow& answer = headline.rows.at(0);
    for (const auto& [name, key] : kHeadline)
        row.set(name, cell_of(headline, answer, key));
    const bool tensor_cores = !is_null(cell_of(headline, answer, "tensor_core_kernel_pct"));
    OPSIGHT_ASSIGN(const duck::Rows sums,
                   session.query(duck::Statement(facts::sql::run_sums)
                                     .set("tensor_cores", tensor_cores)
                                     .set("device_work", session.contents().device_work)));
    for (size_t i = 0; i < sums.columns.size(); ++i)
        row.set(sums.columns[i].name, sums.rows.at(0)[i]);
    return {};
}

void take_range(const query::Session& session, Row& row) {
    const query::Range& range = session.range();
    if (range.whole) return;
    row.set("iterations", range.selected);
    row.set("first_iteration", range.start);
    row.set("last_iteration", range.stop);
}

}  // namespace

Result<FactRow> run_row(query::Session& session, const PushedFile& file) {
    Row row("runs");
    OPSIGHT_ASSIGN(const query::Info info, query::profile_info(session));
    row.set("name", file.name);
    if (!file.is_temporary) row.set("profile", fs::absolute(file.path).lexically_normal().string());
    row.set("recorded_ns", info.origin_is_unix ? Cell{info.origin_ns} : Cell{});
    row.set("pushed_ns", now_ns());
    row.set("producer", info.producer);
    OPSIGHT_ASSIGN(const duck::Rows rules,
                   session.query("SELECT coalesce(max(value), '') FROM raw.meta WHERE key = 'rules'"));
    row.set("rules", rules.rows.at(0)[0]);
    take_range(session, row);
    OPSIGHT_TRY(take_headline(session, row));
    return row.cells();
}

Result<std::vector<FactRow>> configuration_rows(query::Session& session) {
    OPSIGHT_ASSIGN(const query::Info info, query::profile_info(session));
    std::vector<FactRow> rows;
    for (const std::string& framework : info.frameworks)
        rows.push_back({std::string("framework"), framework});
    for (const auto& [key, value] : info.properties)
        rows.push_back({key, value});
    return rows;
}

Result<std::vector<FactRow>> finding_rows(query::Session& session) {
    OPSIGHT_ASSIGN(const advise::Findings findings, advise::find_findings(session));
    std::vector<FactRow> rows;
    for (const advise::Finding& each : findings) {
        Row row("findings");
        row.set("finding", each.id);
        row.set("kind", each.kind);
        row.set("severity", std::string(advise::severity_name(each.severity)));
        row.set("title", each.title);
        row.set("evidence", text_or_null(each.evidence));
        row.set("advice", text_or_null(each.advice));
        row.set("confidence", text_or_null(each.confidence));
        if (each.share_pct) row.set("share_pct", *each.share_pct);
        if (each.bound) row.set("bound_ns", each.bound->ns);
        if (each.bound) row.set("bound_pct", each.bound->pct);
        rows.push_back(row.cells());
    }
    return rows;
}

Result<std::vector<FactRow>> rank_rows(query::Session& session) {
    OPSIGHT_ASSIGN(const query::ResultTable ranks, query::rank_sums(session, {}));
    OPSIGHT_ASSIGN(const query::ResultTable late, query::stragglers(session, {}));
    std::map<int64_t, const FactRow*> late_of;
    for (const FactRow& row : late.rows)
        late_of[query::integer(cell_of(late, row, "rank"))] = &row;
    std::vector<FactRow> rows;
    for (const FactRow& each : ranks.rows) {
        Row row("ranks");
        const auto found = late_of.find(query::integer(cell_of(ranks, each, "rank")));
        if (found != late_of.end()) row.take(late, *found->second);
        row.take(ranks, each);  // its score, of medians of the range, is the one that is kept
        rows.push_back(row.cells());
    }
    return rows;
}

std::vector<FactRow> label_rows(const Labels& labels) {
    std::vector<FactRow> rows;
    for (const auto& [label, value] : labels)
        rows.push_back({label, value});
    return rows;
}

}  // namespace opsight::fleet
