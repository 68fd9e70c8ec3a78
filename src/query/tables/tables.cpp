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
    return searched_instances(session, shape, instance_places());
}

constexpr std::pair<std::string_view, Maker> kMakers[] = {
    {"detailed", of_report<detailed_report>},
    {"iteration", iteration_kernels},
    {"kernel", of_report<kernel_report>},
    {"tensor_core", of_report<tensor_core_report>},
    {"op_type", of_report<op_type_report>},
    {"group_op", of_report<group_op_report>},
    {"kernels", all_kernel_instances},
    {"ops_kernels", op_kernels},
    {"op_stacks", op_stacks},
    {"iteration_ops", of_report<detailed_report>},
    {"iteration_op_kernels", op_kernel_instances},
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

}  // namespace

const std::vector<std::string_view>& table_names() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> list;
        for (const auto& [name, maker] : kMakers)
            list.push_back(name);
        return list;
    }();
    return names;
}

bool needs_op(std::string_view table) {
    return table == "ops_kernels" || table == "op_stacks" || table == "iteration_op_kernels";
}
bool needs_iteration(std::string_view table) {
    return table == "iteration_ops" || table == "iteration_op_kernels";
}

bool is_table(std::string_view name) {
    const auto& names = table_names();
    return std::find(names.begin(), names.end(), name) != names.end();
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
    for (const auto& [each, maker] : kMakers) {
        if (each != name) continue;
        OPSIGHT_ASSIGN(table, maker(session, subject, keeping));
        if (const auto kept = kept_table(session, kept_as)) kept->notes = table.notes;
        table.name = name;
        return table;
    }
    return fail(Error{fmt::format("there is no table '{}'", name), {}, {}, {}, 2});
}

}  // namespace opsight::query
