#include "query/reports/op_groups.h"

#include <fmt/format.h>

namespace opsight::query {

std::string Groups::on(std::string_view relation) const {
    std::string sql;
    for (const std::string& name : names)
        sql += fmt::format(" AND {0}.{1} IS NOT DISTINCT FROM s.{1}", relation, name);
    return sql;
}

void Groups::order(Question& question) const {
    for (const Field& field : fields)
        question.order.emplace_back(field.column.key, false);
}

Groups groups(const TableShape& shape) {
    Groups out;
    const auto add = [&out](const char* name, const char* head, const char* instances, const char* number,
                            const char* join) {
        out.fields.push_back({{name, head, Unit::kCount, 0, Role::kId}, number});
        out.names.emplace_back(name);
        out.keys += fmt::format(", s.{}", name);
        out.instances += instances;
        out.joins += join;
    };
    if (shape.by_rank)
        add("rank", "Rank", ", t.rank AS rank", "gr.number", " LEFT JOIN raw.ranks gr ON gr.id = s.rank");
    if (shape.by_device)
        add("device", "Device ID", ", coalesce(w.device, -1) AS device", "gd.number",
            " LEFT JOIN raw.devices gd ON gd.id = s.device");
    return out;
}

}  // namespace opsight::query
