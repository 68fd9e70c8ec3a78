#include "query/reports/matrix_units.h"

#include <algorithm>
#include <optional>

#include "hardware/devices.h"
#include "hardware/tensor_cores.h"
#include "query/reports/sql.h"
#include "query/session/cells.h"

namespace opsight::query {
namespace {

void rename(std::string& said) {
    constexpr std::string_view kHere = "Tensor Core", kThere = "Matrix Core";
    for (size_t at = said.find(kHere); at != said.npos; at = said.find(kHere, at + kThere.size()))
        said.replace(at, kHere.size(), kThere);
}

}  // namespace

Vendor vendor_of(const std::string& name, int compute_major, int64_t warp_size) {
    constexpr int64_t kWavefront = 64;
    if (hardware::is_amd(name) || warp_size == kWavefront) return Vendor::kAmd;
    if (compute_major > 0) return Vendor::kNvidia;
    const std::optional<bool> nvidia = hardware::has_known_kernels(name, compute_major);
    if (!nvidia) return Vendor::kUnknown;
    return *nvidia ? Vendor::kNvidia : Vendor::kOther;
}

Result<bool> has_matrix_cores(Session& session) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(reports::sql::worked_devices));
    return !rows.rows.empty() && std::all_of(rows.rows.begin(), rows.rows.end(), [](const auto& row) {
        return vendor_of(text(row[0]), static_cast<int>(integer(row[1])), integer(row[3])) == Vendor::kAmd;
    });
}

void speak_of_matrix_cores(Report& report) {
    rename(report.title);
    for (std::string& note : report.notes)
        rename(note);
    bool abbreviated = false;
    for (Section& section : report.sections) {
        ResultTable& table = section.table;
        rename(table.title);
        for (std::string& note : table.notes)
            rename(note);
        for (Column& column : table.columns) {
            rename(column.header);
            abbreviated |= (" " + column.header + " ").find(" TC ") != std::string::npos;
        }
    }
    if (abbreviated) report.notes.emplace_back("TC: Matrix Cores, AMD's counterpart of Tensor Cores");
}

}  // namespace opsight::query
