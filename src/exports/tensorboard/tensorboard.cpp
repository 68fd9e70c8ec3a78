#include "exports/tensorboard/tensorboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "exports/format/output.h"
#include "exports/tensorboard/graph.h"
#include "exports/tensorboard/records.h"
#include "exports/wire/protobuf.h"
#include "exports/wire/valid_utf8.h"
#include "query/reports/headline.h"
#include "query/reports/info.h"
#include "query/reports/iteration_shares.h"
#include "query/reports/reports.h"

namespace opsight::exports {
namespace {

constexpr double kNsPerSecond = 1e9, kNsPerMillisecond = 1e6;
constexpr int64_t kMostGroups = 500;  // rows of the text of layers
constexpr int64_t kMostOps = 20'000;  // nodes of the graph

// Fields of TensorFlow's event.proto, summary.proto, tensor.proto and tensor_shape.proto.
namespace event {
constexpr uint32_t kWallTime = 1, kStep = 2, kVersion = 3, kGraph = 4, kSummary = 5;
}
namespace summary {
constexpr uint32_t kValue = 1;
}
namespace value {
constexpr uint32_t kTag = 1, kNumber = 2, kTensor = 8, kMetadata = 9;
}
namespace metadata {
constexpr uint32_t kPlugin = 1, kDescription = 3, kPluginName = 1;
}
namespace tensor {
constexpr uint32_t kType = 1, kShape = 2, kText = 8;
constexpr uint64_t kString = 7;  // DT_STRING
}  // namespace tensor

// One file of events: all of a rank, or of the run.
class Events {
  public:
    static Result<Events> create(const Job& job, const std::string& folder, double began_s) {
        OPSIGHT_TRY(make_folder(folder));
        Job file = job;
        file.output = fmt::format("{}/events.out.tfevents.{:010.0f}.opsight", folder, began_s);
        OPSIGHT_ASSIGN(Output output, Output::create(file));
        Events events(std::move(output), began_s);
        OPSIGHT_TRY(
            events.put(Message().real(event::kWallTime, began_s).text(event::kVersion, "brain.Event:2")));
        return events;
    }

    Status scalar(const std::string& tag, int64_t step, int64_t at_ns, double number) {
        return values(step, at_ns,
                      Message().text(value::kTag, tag).real32(value::kNumber, static_cast<float>(number)));
    }

    // Markdown, as the plugin of texts shows it.
    Status text(const std::string& tag, const std::string& what, const std::string& about) {
        const Message plugin = Message().text(metadata::kPluginName, "text");
        return values(
            0, 0,
            Message()
                .text(value::kTag, tag)
                .message(value::kTensor, Message()
                                             .number(tensor::kType, tensor::kString)
                                             .message(tensor::kShape, Message())
                                             .text(tensor::kText, valid_utf8(what)))
                .message(value::kMetadata,
                         Message().message(metadata::kPlugin, plugin).text(metadata::kDescription, about)));
    }

    Status graph(const Graph& made) {
        return put(Message().real(event::kWallTime, began_s_).text(event::kGraph, made.bytes));
    }

    Status finish() { return output_.finish(); }

  private:
    Events(Output output, double began_s) : output_(std::move(output)), began_s_(began_s) {}

    Status values(int64_t step, int64_t at_ns, const Message& told) {
        return put(Message()
                       .real(event::kWallTime, began_s_ + static_cast<double>(at_ns) / kNsPerSecond)
                       .integer(event::kStep, step)
                       .message(event::kSummary, Message().message(summary::kValue, told)));
    }
    Status put(const Message& message) {
        put_record(output_.buffer(), message.bytes());
        return output_.flush_some();
    }

    Output output_;
    double began_s_;
};

std::string cell_text(const query::Cell& cell) {
    if (const auto* whole = std::get_if<int64_t>(&cell)) return fmt::to_string(*whole);
    if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{:.4g}", *real);
    if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "yes" : "no";
    std::string text;
    if (const auto* told = std::get_if<std::string>(&cell))
        for (const char c : *told) {
            if (std::string_view("|<>`*_[]\\").find(c) != std::string_view::npos) text += '\\';
            text += c == '\n' || c == '\r' ? ' ' : c;
        }
    return text;
}

std::string markdown(const query::ResultTable& table, const std::set<std::string_view>& shown = {}) {
    std::string head, rule, rows;
    const auto wanted = [&](const query::Column& column) {
        return shown.empty() || shown.contains(column.key);
    };
    for (const query::Column& column : table.columns)
        if (wanted(column)) {
            head += "| " + cell_text(query::Cell(column.header)) + " ";
            rule += "|---";
        }
    for (const auto& row : table.rows) {
        for (size_t c = 0; c < row.size(); ++c)
            if (wanted(table.columns[c])) rows += "| " + cell_text(row[c]) + " ";
        rows += "|\n";
    }
    std::string text = head + "|\n" + rule + "|\n" + rows;
    const int64_t all = table.rows_in_all >= 0 ? table.rows_in_all : std::ssize(table.rows);
    if (all > std::ssize(table.rows))
        text += fmt::format("\n{} more rows are left out.\n", all - std::ssize(table.rows));
    return text;
}

// A table of one row, upright.
std::string facts(const query::ResultTable& table) {
    std::string text = "| | |\n|---|---|\n";
    for (size_t c = 0; c < table.columns.size() && !table.rows.empty(); ++c)
        if (!std::holds_alternative<std::monostate>(table.rows[0][c]))
            text += fmt::format("| {} | {} |\n", cell_text(query::Cell(table.columns[c].header)),
                                cell_text(table.rows[0][c]));
    return text;
}

Status put_summaries(query::Session& session, Events& events) {
    query::TableShape shape;
    OPSIGHT_ASSIGN(const query::Report report, query::make_report(session, "summary", shape));
    std::string model;
    for (const query::Section& section : report.sections) {
        const query::ResultTable& table = section.table;
        if (table.name == "all_ops")
            OPSIGHT_TRY(events.text("gpu_summary/OpNodes", markdown(table),
                                    "Ops by their use of Tensor Cores, over the iterations that count"));
        else if (table.name != "diagnostics" && !table.rows.empty())
            model += fmt::format("### {}\n\n{}\n", table.title.empty() ? "Run" : table.title,
                                 section.single ? facts(table) : markdown(table));
    }
    OPSIGHT_TRY(events.text("gpu_summary/Model", model, "The run as a whole"));
    shape.limit = kMostGroups;
    OPSIGHT_ASSIGN(const query::Report groups, query::make_report(session, "group_op", shape));
    return events.text("gpu_summary/GroupNodes", markdown(groups.sections.at(0).table),
                       "Layers with all that they hold");
}

Result<Graph> put_graph(query::Session& session, Events& events) {
    query::TableShape shape;
    shape.limit = kMostOps;
    OPSIGHT_ASSIGN(const query::Report ops, query::make_report(session, "detailed", shape));
    Graph graph = make_graph(ops.sections.at(0).table);
    OPSIGHT_TRY(events.graph(graph));
    return graph;
}

// By resource: whether the recording tells of it.
using Told = std::array<bool, query::kResources>;

Result<Told> told_resources(query::Session& session) {
    OPSIGHT_ASSIGN(const auto classes, query::budget_classes(session));
    Told told{};
    for (const query::BudgetClass& each : classes)
        told[each.resource] = each.told;
    return told;
}

Status put_iteration(Events& events, const query::IterationShares& it, const Told& told) {
    const int64_t end = it.begin_ns + it.dur_ns;
    OPSIGHT_TRY(events.scalar("iteration/time_ms", it.iteration, end,
                              static_cast<double>(it.dur_ns) / kNsPerMillisecond));
    for (size_t i = 0; i < query::kResources; ++i)
        if (told[i] || it.ns[i] > 0)
            OPSIGHT_TRY(events.scalar(fmt::format("iteration_shares_ms/{}", query::kShareNames[i]),
                                      it.iteration, end, static_cast<double>(it.ns[i]) / kNsPerMillisecond));
    return {};
}

// The iterations of one rank, in a folder of its own: a run of the page.
Status put_rank(const Job& job, const std::string& folder, double began_s,
                const std::vector<query::IterationShares>& all, int64_t rank, const Told& told) {
    OPSIGHT_ASSIGN(Events events, Events::create(job, folder, began_s));
    for (const query::IterationShares& it : all)
        if (it.rank == rank) OPSIGHT_TRY(put_iteration(events, it, told));
    return events.finish();
}

Result<std::string> write(const Job& job) {
    query::RangeOptions range;
    range.start = job.scope.start;
    range.stop = job.scope.stop;
    OPSIGHT_ASSIGN(query::Session session, query::Session::open(job.profile, range));
    OPSIGHT_ASSIGN(const query::Info info, query::profile_info(session));
    OPSIGHT_ASSIGN(std::vector<query::IterationShares> shares, query::iteration_shares(session));
    std::erase_if(shares, [&](const query::IterationShares& it) {
        return (job.scope.rank && it.rank != *job.scope.rank) ||
               (job.scope.start && (it.iteration < *job.scope.start || it.iteration > *job.scope.stop));
    });
    const double began_s = info.origin_is_unix ? static_cast<double>(info.origin_ns) / kNsPerSecond : 0;
    OPSIGHT_ASSIGN(const Told told, told_resources(session));
    std::set<int64_t> ranks;
    for (const query::IterationShares& it : shares)
        ranks.insert(it.rank);
    for (const int64_t rank : ranks)
        OPSIGHT_TRY(put_rank(job, fmt::format("{}/rank-{}", job.output, rank), began_s, shares, rank, told));
    std::string done = fmt::format("{} iterations of {} ranks", shares.size(), ranks.size());
    if (job.scope.rank && info.ranks.rows.size() > 1)
        return done + "; summaries and graph are of all ranks together, and left out";
    OPSIGHT_ASSIGN(Events run, Events::create(job, job.output + "/run", began_s));
    OPSIGHT_TRY(put_summaries(session, run));
    OPSIGHT_ASSIGN(const Graph graph, put_graph(session, run));
    OPSIGHT_TRY(run.finish());
    done += fmt::format(", {} ops in the graph", graph.nodes);
    if (graph.left_out > 0) done += fmt::format(", which lacks {} more", graph.left_out);
    return done;
}

}  // namespace

Format tensorboard_format() {
    return {"tensorboard",
            "-tensorboard",
            "event files of TensorBoard: times of iterations, the summaries of ops, layers and run, a graph",
            true,
            false,
            write};
}

}  // namespace opsight::exports
