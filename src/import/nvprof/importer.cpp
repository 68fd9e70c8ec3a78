#include "import/nvprof/importer.h"

#include "import/nvprof/database.h"
#include "model/source_limits.h"

namespace opsight::importer::nvprof {
namespace {

// Read elsewhere, or facts of the machine that no number of Opsight's needs.
constexpr std::string_view kQuiet[] = {"Version", "CUPTI_ACTIVITY_KIND_DEVICE_ATTRIBUTE",
                                       "CUPTI_ACTIVITY_KIND_PCIE", "CUPTI_ACTIVITY_KIND_CUDA_EVENT"};

Status read_database(Report& report) {
    report.builder().info().producer = "nvprof";
    set_kernels_of_cuda_or_hip(report.builder().info());
    Database database(report);
    OPSIGHT_TRY(database.load_texts());
    OPSIGHT_TRY(read_calls(database));
    OPSIGHT_TRY(read_markers(database));
    OPSIGHT_TRY(read_work(database));
    OPSIGHT_TRY(read_machine(database));
    if (report.events() == 0)
        return fail("is a database of nvprof in which nothing was recorded: no kernel, call or range",
                    report.file(), {},
                    "record again, with the process that uses the GPU (nvprof --profile-child-processes -o "
                    "%p.nvvp ...)");
    report.note_unread(kQuiet);
    return {};
}

}  // namespace

Result<nsys::ReportFacts> import_database(const std::string& path, const nsys::ReadOptions& options,
                                          ProfileBuilder& builder) {
    return nsys::import_tables(path, options, builder, {}, read_database);
}

}  // namespace opsight::importer::nvprof
