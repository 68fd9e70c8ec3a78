#include "cli/save_profile.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "analyze/ranks/clocks.h"
#include "cli/standard_output.h"
#include "db/writer.h"

namespace opsight::cli {

Result<SavedProfile> save_profile(Profile profile, const std::string& path, bool overwrite,
                                  const analyze::AnalysisOptions& options) {
    const std::vector<analyze::RankClock> clocks = analyze::align_ranks(profile);
    const analyze::Analysis analysis = analyze::analyze(profile, options);
    db::WriteOptions how;
    how.clocks = &clocks;
    how.overwrite = overwrite;
    OPSIGHT_TRY(db::write_profile(path, profile, analysis, how));
    print_diagnostics(profile.diagnostics);
    SavedProfile saved;
    std::error_code unknown_size;
    saved.file_bytes = std::filesystem::file_size(path, unknown_size);
    saved.ops = profile.op_details.size();
    saved.nvtx = profile.nvtx.size();
    saved.device = profile.device.size();
    saved.iterations = analysis.iterations.list.size();
    saved.layers = analysis.layers.size();
    return saved;
}

void print_diagnostics(const Diagnostics& diagnostics, std::optional<Diag> left_out) {
    for (size_t i = 0; i < static_cast<size_t>(Diag::kCount); ++i) {
        const auto diag = static_cast<Diag>(i);
        const DiagKind& kind = diag_kind(diag);
        if (diagnostics.count(diag) == 0 || kind.severity == Severity::kInfo || diag == left_out) continue;
        const std::string line =
            fmt::format("opsight: {} x {}: {}\n", diagnostics.count(diag), kind.key, kind.help);
        print_note(line);
    }
}

}  // namespace opsight::cli
