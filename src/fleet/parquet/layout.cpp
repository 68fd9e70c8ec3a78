#include "fleet/parquet/layout.h"

#include <fmt/format.h>

namespace opsight::fleet::parquet {

std::string runs_folder(const std::string& root) {
    return root + "_runs/";
}
std::string manifest_path(const std::string& root, const std::string& run) {
    return runs_folder(root) + run + ".json";
}
std::string lock_path(const std::string& root, const std::string& run) {
    return root + "_locks/" + run;
}
std::string staging_folder(const std::string& root) {
    return root + "_staging/";
}

std::string part_folder(const std::string& root, const std::string& run, const Part& part) {
    std::string folder = fmt::format("{}{}/run={}/", root, part.table->name, run);
    if (part.rank) folder += fmt::format("rank={}/", *part.rank);
    return folder;
}

std::string part_path(const std::string& root, const PushId& id, const Part& part) {
    return part_folder(root, id.run, part) + id.push + ".parquet";
}

std::string staged_path(const std::string& folder, const Part& part) {
    return part.rank ? fmt::format("{}{}.rank={}.parquet", folder, part.table->name, *part.rank)
                     : fmt::format("{}{}.parquet", folder, part.table->name);
}

}  // namespace opsight::fleet::parquet
