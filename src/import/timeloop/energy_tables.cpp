#include <fmt/format.h>

#include <algorithm>

#include "import/timeloop/readers.h"

namespace opsight::importer::timeloop {
namespace {

// "system.PE.spad[1..168]": "spad".
Result<std::string> component_of(const Tree& table) {
    const Tree* name = table.find("name");
    if (name == nullptr || !name->is_text())
        return fail(table.error("a table needs the name of its component"));
    OPSIGHT_ASSIGN(const InstanceName instances, read_instances(*name));
    return instances.name.substr(instances.name.rfind('.') + 1);
}

Result<const Tree*> tables_of(const Tree& root) {
    const Tree* tables = root.find("tables");
    if (tables == nullptr || !tables->is_list())
        return fail(root.error("a table of energies needs tables, a list"));
    return tables;
}

// The energy of the first of these actions that the table has; where one is there several times (for several
// arguments), the largest.
Result<std::optional<double>> energy_of(const Tree& table, std::initializer_list<std::string_view> actions) {
    const Tree* list = table.find("actions");
    if (list == nullptr) return std::nullopt;
    for (const std::string_view action : actions) {
        std::optional<double> energy;
        for (const Tree& each : list->items) {
            OPSIGHT_ASSIGN(const std::string name, each.text_of("name", ""));
            if (name != action) continue;
            OPSIGHT_ASSIGN(const double pj, each.number_of({"energy"}, -1));
            if (pj < 0) return fail(each.error(fmt::format("action {} needs an energy of 0 or more", name)));
            energy = std::max(energy.value_or(0), pj);
        }
        if (energy) return energy;
    }
    return std::nullopt;
}

Status charge(const Tree& table, map::Level& level) {
    OPSIGHT_ASSIGN(const std::optional<double> read, energy_of(table, {"random_read", "read"}));
    OPSIGHT_ASSIGN(const std::optional<double> write,
                   energy_of(table, {"random_fill", "random_write", "write"}));
    OPSIGHT_ASSIGN(const std::optional<double> update, energy_of(table, {"random_update", "update"}));
    OPSIGHT_ASSIGN(const std::optional<double> leak, energy_of(table, {"leak"}));
    if (level.dummy) return {};
    if (!read || !(write || update))
        return fail(table.error(fmt::format("the table of {} needs the actions read and write", level.name)));
    level.read_pj = *read;
    level.write_pj = write.value_or(update.value_or(0));
    level.update_pj = update.value_or(level.write_pj);
    level.leak_pj = leak.value_or(0);
    level.energy_source = "ERT";
    return {};
}

}  // namespace

Status read_energies(const Tree& root, map::Architecture& into) {
    OPSIGHT_ASSIGN(const Tree* tables, tables_of(root));
    for (const Tree& table : tables->items) {
        OPSIGHT_ASSIGN(const std::string name, component_of(table));
        if (name == into.compute.name) {
            OPSIGHT_ASSIGN(
                const std::optional<double> pj,
                energy_of(table, {"random_compute", "compute", "mac_random", "mac", "mult_random"}));
            if (!pj) return fail(table.error(fmt::format("the table of {} needs the action compute", name)));
            into.compute.compute_pj = *pj;
            into.compute.energy_source = "ERT";
        } else if (const int level = into.level(name); level >= 0) {
            OPSIGHT_TRY(charge(table, into.levels[level]));
        }
    }
    return {};
}

Status read_areas(const Tree& root, map::Architecture& into) {
    OPSIGHT_ASSIGN(const Tree* tables, tables_of(root));
    for (const Tree& table : tables->items) {
        OPSIGHT_ASSIGN(const std::string name, component_of(table));
        OPSIGHT_ASSIGN(const double area, table.number_of({"area"}, -1));
        if (area < 0) return fail(table.error(fmt::format("the area of {} must be 0 or more", name)));
        if (name == into.compute.name) into.compute.area_um2 = area;
        if (const int level = into.level(name); level >= 0) into.levels[level].area_um2 = area;
    }
    return {};
}

}  // namespace opsight::importer::timeloop
