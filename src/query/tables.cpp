#include "query/tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace opsight {
namespace {

using Maker = Result<ResultTable> (*)(Session&, const TableSubject&, const Shape&);

template <Result<Report> (*make)(Session&, const Shape&)>
Result<ResultTable> of_report(Session& session, const TableSubject&, const Shape& shape) {
    OPSIGHT_ASSIGN(Report report, make(session, shape));
    ResultTable table = std::move(report.sections.at(0).table);
    table.notes.insert(table.notes.end(), report.notes.begin(), report.notes.end());
    return table;
}

template <Result<ResultTable> (*make)(Session&, const Shape&)>
Result<ResultTable> plain(Session& session, const TableSubject&, const Shape& shape) {
    return make(session, shape);
}

constexpr std::pair<std::string_view, Maker> kMakers[] = {
    {"detailed", of_report<detailed_report>}, {"iteration", plain<kernel_instances>},
    {"kernel", of_report<kernel_report>},     {"tensor_core", of_report<tensor_core_report>},
    {"op_type", of_report<op_type_report>},   {"group_op", of_report<group_op_report>},
    {"iterations", plain<iteration_list>},
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

bool is_table(std::string_view name) {
    const auto& names = table_names();
    return std::find(names.begin(), names.end(), name) != names.end();
}

Result<ResultTable> make_table(Session& session, std::string_view name, const TableSubject& subject,
                               const Shape& shape) {
    for (const auto& [each, maker] : kMakers) {
        if (each != name) continue;
        OPSIGHT_ASSIGN(ResultTable table, maker(session, subject, shape));
        table.name = name;
        return table;
    }
    return fail(Error{fmt::format("there is no table '{}'", name), {}, {}, {}, 2});
}

}  // namespace opsight
