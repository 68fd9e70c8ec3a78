#include "query/reports/characterize.h"

#include <algorithm>

#include "query/ask/empty_columns.h"
#include "query/reports/op_groups.h"
#include "query/reports/sql.h"

namespace opsight::query {
namespace {

namespace sql = reports::sql;

std::vector<Column> parameters() {
    const auto pct = [](const char* key, const char* header, int priority) {
        return Column{key, header, Unit::kPercent, priority};
    };
    const auto rate = [](const char* key, const char* header, int priority) {
        return Column{key, header, Unit::kBytesPerSecond, priority};
    };
    return {
        {"calls", "No. Calls", Unit::kCount, 5},
        {"time_ns", "Time (ns)", Unit::kNs},
        pct("time_pct", "Time %", 1),
        {"backward_ratio", "Backward / Forward", Unit::kNone, 2, Role::kNumber},
        pct("off_cpu_pct", "Off CPU %", 1),
        pct("stalled_pct", "Stalled %", 1),
        pct("frontend_stalled_pct", "Front End Stalled %", 6),
        {"cycles", "Cycles", Unit::kCount, 7},
        {"instructions", "Instructions", Unit::kCount, 1},
        {"instructions_per_cycle", "Instructions / Cycle", Unit::kNone, 3, Role::kNumber},
        pct("loads_pct", "Loads %", 3),
        pct("stores_pct", "Stores %", 4),
        pct("branch_misses_pct", "Branch Misses %", 5),
        pct("l1_hit_pct", "L1 Hit %", 1),
        pct("l2_hit_pct", "L2 Hit %", 1),
        pct("llc_hit_pct", "Last Cache Hit %", 1),
        rate("l1_bytes_per_s", "L1 (bytes/s)", 4),
        pct("l1_peak_pct", "L1 of Peak %", 4),
        rate("l2_bytes_per_s", "L2 (bytes/s)", 4),
        pct("l2_peak_pct", "L2 of Peak %", 4),
        rate("dram_read_bytes_per_s", "DRAM Read (bytes/s)", 2),
        rate("dram_write_bytes_per_s", "DRAM Write (bytes/s)", 2),
        rate("dram_bytes_per_s", "DRAM (bytes/s)", 2),
        pct("dram_peak_pct", "DRAM of Peak %", 2),
        {"counted_flops_per_s", "Counted FLOP/s (1)", Unit::kFlops, 3},
        {"flops_per_s", "Est. FLOP/s (1)", Unit::kFlops, 2},
        rate("bytes_per_s", "Est. Bytes/s (bytes/s)", 3),
        {"working_set_bytes", "Est. Working Set (bytes)", Unit::kBytes, 3},
        pct("of_l1_pct", "Working Set / L1 %", 6),
        pct("of_l2_pct", "Working Set / L2 %", 4),
        pct("of_l3_pct", "Working Set / L3 %", 4),
        {"page_faults", "Page Faults", Unit::kCount, 3},
        {"context_switches", "Context Switches", Unit::kCount, 4},
        pct("counted_pct", "Time With Counters %", 3),
        {"sources", "Sources", Unit::kNone, 2},
    };
}

struct Part {
    const char *by, *name, *title;
    Column subject;
};
const Part kParts[] = {
    {"layer", "characterize_layers", "Layers Under the Microscope", {"layer", "Layer"}},
    {"op_type", "characterize_op_types", "By Op Type", {"op_type", "Op Type"}},
    {"kernel", "characterize_kernels", "By Kernel", {"kernel_name", "Kernel Name"}},
};

// Whose counters the tables have: of kernels, with their times or, in tables of nvprof's metrics, without;
// else of ops.
struct Subject {
    bool on_device = false, untimed = false;
    duck::Rows facts;
    std::string text(size_t column) const {
        const auto* found = std::get_if<std::string>(&facts.rows.at(0)[column]);
        return found ? *found : std::string();
    }
    bool flag(size_t column) const { return std::get<bool>(facts.rows.at(0)[column]); }
};

Result<Subject> subject_of(Session& session) {
    Subject subject;
    OPSIGHT_ASSIGN(subject.facts, session.query(sql::characterize_facts));
    subject.untimed = !session.contents().device_work && subject.flag(5);
    subject.on_device = session.contents().device_work || subject.untimed;
    return subject;
}

std::vector<std::string> device_notes(const Subject& subject) {
    std::vector<std::string> notes;
    if (subject.untimed)
        notes.emplace_back(
            "the counters come without times of their kernels: nothing tells what each has of a layer, so "
            "they are by kernel, percentages and rates are means over its launches, as its table has them");
    if (const std::string joined = subject.text(1); !joined.empty()) {
        notes.push_back("counters: " + joined);
        notes.emplace_back(
            "times are those of the recording; counters were measured in a run of their own, kernel by "
            "kernel. Rates are over the times of that run where its table tells them (Nsight Compute); of "
            "nvprof they are its own throughputs, else its counts over the times of the recording");
    }
    if (subject.flag(0))
        notes.emplace_back(
            "counters of the processor around ops are those of the threads that launch, and are not in these "
            "tables: opsight sql NAME \"FROM op_counters\"");
    return notes;
}

std::vector<std::string> host_notes(const Subject& subject) {
    std::vector<std::string> notes;
    if (!subject.flag(0)) {
        notes.emplace_back(
            "the profile has no counters of the processor: opsight profile --counters cpu records them");
    } else {
        const std::string threads = subject.text(2);
        notes.push_back(
            "counters are those of the thread that ran the op, without other threads that it put to work" +
            (threads.empty() ? "" : " (" + threads + " were set)"));
        if (const std::string missing = subject.text(3); !missing.empty())
            notes.push_back("not counted: " + missing);
        if (const std::string shares = subject.text(4); !shares.empty())
            notes.push_back("groups of counters took turns, and counts are scaled to the whole time: " +
                            shares);
    }
    notes.emplace_back("\"Est.\" is worked out from shapes, each input and output once, and not measured");
    return notes;
}

std::vector<std::string> notes_of(const Subject& subject) {
    return subject.on_device ? device_notes(subject) : host_notes(subject);
}

Status make_parts(Session& session, const Subject& subject) {
    OPSIGHT_TRY(session.prepare_work());
    return session.execute(duck::Statement(sql::characterize_parts)
                               .set("on_device", subject.on_device)
                               .set("moments", subject.untimed));
}

Result<ResultTable> table_of(Session& session, const TableShape& shape, const Part& part, bool on_device) {
    Question q{part.name, part.title};
    q.columns = group_columns(shape);
    q.columns.push_back(part.subject);
    if (!on_device && part.by == std::string_view("kernel")) {
        q.title = "By Op";
        q.columns.back().header = "Op Name";
    }
    append(q.columns, parameters());
    q.rows = shaped(sql::characterize, shape).set("by", part.by).set("on_device", on_device);
    q.order = {{"time_ns", true}, {part.subject.key, false}};
    order_by_groups(q, shape);
    OPSIGHT_ASSIGN(ResultTable table, ask(session, q, shape));
    if (shape.for_people) leave_out_empty(table);  // room for the others
    return table;
}

Result<ResultTable> made(Session& session, const TableShape& shape, const Part& part) {
    OPSIGHT_ASSIGN(const Subject subject, subject_of(session));
    OPSIGHT_TRY(make_parts(session, subject));
    OPSIGHT_ASSIGN(ResultTable table, table_of(session, shape, part, subject.on_device));
    table.notes = notes_of(subject);
    return table;
}

}  // namespace

Result<std::vector<std::string>> characterize_notes(Session& session) {
    OPSIGHT_ASSIGN(const Subject subject, subject_of(session));
    return notes_of(subject);
}

Result<ResultTable> characterize_layers(Session& session, const TableShape& shape) {
    return made(session, shape, kParts[0]);
}
Result<ResultTable> characterize_op_types(Session& session, const TableShape& shape) {
    return made(session, shape, kParts[1]);
}
Result<ResultTable> characterize_kernels(Session& session, const TableShape& shape) {
    return made(session, shape, kParts[2]);
}

Result<Report> characterize_report(Session& session, const TableShape& shape) {
    Report report{"characterize", "Layers Under the Microscope", {}, {}};
    OPSIGHT_ASSIGN(const Subject subject, subject_of(session));
    report.notes = notes_of(subject);
    OPSIGHT_TRY(make_parts(session, subject));
    for (const Part& part : kParts) {
        TableShape own = shape;
        if (&part != &kParts[0]) own.sort.clear();
        OPSIGHT_ASSIGN(ResultTable table, table_of(session, own, part, subject.on_device));
        const bool main = &part == (subject.untimed ? &kParts[2] : &kParts[0]);
        if (!main && table.rows.empty() && shape.for_people) continue;
        report.sections.push_back({std::move(table)});
    }
    return report;
}

}  // namespace opsight::query
