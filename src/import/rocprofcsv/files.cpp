#include "import/rocprofcsv/files.h"

#include <optional>

#include "import/text/csv_fields.h"
#include "import/text/first_bytes.h"

namespace opsight::importer::rocprofcsv {
namespace {

// As rocprofv3 names them, then as rocprofv2 does, whose process stands behind.
constexpr std::string_view kTables[] = {"agent_info",
                                        "kernel_trace",
                                        "hip_api_trace",
                                        "hsa_api_trace",
                                        "marker_api_trace",
                                        "memory_copy_trace",
                                        "memory_allocation_trace",
                                        "scratch_memory_trace",
                                        "counter_collection",
                                        "rccl_api_trace",
                                        "rocdecode_api_trace",
                                        "rocjpeg_api_trace",
                                        "ompt_trace",
                                        "pc_sampling_host_trap",
                                        "pc_sampling_stochastic",
                                        "hcc_ops_trace",
                                        "async_copy_trace",
                                        "roctx_trace",
                                        "pcs_trace",
                                        "results"};

struct Parts {
    std::string run;
    std::string_view table;
};

Parts parts_of(std::string_view path) {
    if (path.ends_with(".gz")) path.remove_suffix(3);
    const size_t name = path.find_last_of('/') + 1;
    for (const std::string_view table : kTables) {
        const size_t at = path.rfind(table);
        if (at == path.npos || at < name) continue;
        std::string_view behind = path.substr(at + table.size());
        behind = behind.substr(0, behind.rfind('.'));
        return {std::string(path.substr(0, at)) + std::string(behind), table};
    }
    return {std::string(path), path.substr(name)};
}

}  // namespace

Table table_of(std::string_view first_bytes) {
    first_bytes = behind_mark(first_bytes);
    std::string_view line = first_bytes.substr(0, first_bytes.find('\n'));
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::vector<std::string> names;
    split_csv(line, names);
    return Columns(names).table();
}

std::string run_of(std::string_view path) {
    return parts_of(path).run;
}

std::string name_of_table(std::string_view path) {
    return std::string(parts_of(path).table);
}

}  // namespace opsight::importer::rocprofcsv
