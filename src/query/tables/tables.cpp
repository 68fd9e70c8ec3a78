#include "query/tables/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "query/ask/page.h"
#include "query/model/model_graph.h"
#include "query/reports/source_reports.h"
#include "query/reports/viewer_tables.h"
#include "query/reports/work.h"

namespace opsight::query {
namespace {

using Maker = Result<ResultTable> (*)(Session&, const TableSubject&, const TableShape&);

template <Result<Report> (*make)(Session&, const TableShape&)>
Result<ResultTable> of_report(Session& session, const TableSubject&, const TableShape& shape) {
    OPSIGHT_ASSIGN(Report report, make(session, shape));
    ResultTable table = std::move(report.sections.at(0).table);
    table.notes.insert(table.notes.end(), report.notes.begin(), report.notes.end());
    return table;
}

template <Result<ResultTable> (*make)(Session&, const TableShape&)>
Result<ResultTable> plain(Session& session, const TableSubject&, const TableShape& shape) {
    return make(session, shape);
}

Result<ResultTable> iteration_kernels(Session& session, const TableSubject&, const TableShape& shape) {
    return searched_instances(session, shape);
}

// With what only a page needs: the evidence of Tensor Core use, and the place on the timeline.
Result<ResultTable> all_kernel_instances(Session& session, const TableSubject&, const TableShape& shape) {
    return searched_instances(session, shape, true);
}

// What a table is asked about beside the range.
enum class Needs : uint8_t { kNothing, kOp, kIteration, kOpOfIteration };

struct Entry {
    std::string_view name;
    Maker make;
    Needs needs = Needs::kNothing;
};

// To add a table to the page: its maker, a line here, its name in docs/openapi.json, and a page that shows
// it.
constexpr Entry kTables[] = {
    {"detailed", of_report<detailed_report>},
    {"iteration", iteration_kernels},
    {"kernel", of_report<kernel_report>},
    {"kernel_name", of_report<kernel_name_report>},
    {"op_names", plain<op_names>},
    {"tensor_core", of_report<tensor_core_report>},
    {"op_type", of_report<op_type_report>},
    {"group_op", of_report<group_op_report>},
    {"kernels", all_kernel_instances},
    {"ops_kernels", op_kernels, Needs::kOp},
    {"op_stacks", op_stacks, Needs::kOp},
    {"iteration_ops", of_report<detailed_report>, Needs::kIteration},
    {"iteration_op_kernels", op_kernel_instances, Needs::kOpOfIteration},
    {"iterations", plain<iteration_list>},
    {"devices", plain<device_use>},
    {"streams", plain<stream_use>},
    {"diagnostics", plain<diagnostic_list>},
    {"ranges", plain<range_list>},
    {"key_ops", key_ops},
    {"memory_allocators", memory_allocators},
    {"communication", communication},
    {"roofline", plain<roofline_ops>},
    {"roofline_layers", plain<roofline_layers>},
    {"roofline_kernels", plain<roofline_kernels>},
    {"roofline_ceilings", plain<roofline_ceilings>},
    {"uncounted", plain<uncounted_work>},
    {"model_nodes", model_nodes},
    {"api", of_report<api_report>},
    {"copies", of_report<copy_report>},
    {"migrations", plain<migration_sums>},
    {"page_faults", plain<fault_sums>},
    {"os_runtime", of_report<os_call_report>},
    {"file_access", of_report<file_report>},
    {"libraries", of_report<library_report>},
    {"messages", of_report<message_report>},
    {"counters", of_report<counter_report>},
    {"cpu_samples", of_report<sample_report>},
    {"scheduling", of_report<scheduling_report>},
};

const Entry* entry_of(std::string_view name) {
    const auto* found = std::find_if(std::begin(kTables), std::end(kTables),
                                     [name](const Entry& e) { return e.name == name; });
    return found == std::end(kTables) ? nullptr : found;
}

}  // namespace

const std::vector<std::string_view>& table_names() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> list;
        for (const Entry& entry : kTables)
            list.push_back(entry.name);
        return list;
    }();
    return names;
}

bool needs_op(std::string_view table) {
    const Entry* entry = entry_of(table);
    return entry && (entry->needs == Needs::kOp || entry->needs == Needs::kOpOfIteration);
}
bool needs_iteration(std::string_view table) {
    const Entry* entry = entry_of(table);
    return entry && (entry->needs == Needs::kIteration || entry->needs == Needs::kOpOfIteration);
}

bool is_table(std::string_view name) {
    return entry_of(name) != nullptr;
}

std::string kept_name(std::string_view name, const TableSubject& subject, const TableShape& shape) {
    return fmt::format("{} {} {} {} {}", name, shape.by_rank, shape.by_device, shape.merge_numbers,
                       subject.op.value_or(-1));
}

Result<ResultTable> make_table(Session& session, std::string_view name, const TableSubject& subject,
                               const TableShape& shape) {
    const std::string kept_as = kept_name(name, subject, shape);
    ResultTable table;
    if (const auto kept = kept_table(session, kept_as)) {
        OPSIGHT_ASSIGN(table, ask(session, kept->question, shape));
        table.notes = kept->notes;
        table.name = name;
        return table;
    }
    TableShape keeping = shape;
    if (keeping.page) keeping.page->keep_as = kept_as;
    if (const Entry* entry = entry_of(name)) {
        OPSIGHT_ASSIGN(table, entry->make(session, subject, keeping));
        if (const auto kept = kept_table(session, kept_as)) kept->notes = table.notes;
        table.name = name;
        return table;
    }
    return fail(Error{fmt::format("there is no table '{}'", name), {}, {}, {}, 2});
}

}  // namespace opsight::query
