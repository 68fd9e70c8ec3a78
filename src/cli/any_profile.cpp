#include "cli/any_profile.h"

#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "analyze/analyze.h"
#include "analyze/ranks/clocks.h"
#include "base/progress.h"
#include "cli/save_profile.h"
#include "db/writer.h"
#include "import/import.h"

namespace opsight::cli {
namespace {

namespace fs = std::filesystem;

bool is_database(const std::string& path) {
    std::array<char, 12> head{};
    std::ifstream file(path, std::ios::binary);
    return file.read(head.data(), head.size()) && std::memcmp(head.data() + 8, "DUCK", 4) == 0;
}

// Of a pipe what is_database() takes would be gone.
bool is_readable(const std::string& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) || fs::is_directory(path, ignored);
}

}  // namespace

bool AnyProfile::is_profile(const std::string& path) {
    return is_readable(path) && is_database(path);
}

Result<AnyProfile> AnyProfile::open(const std::string& path, bool quiet, const query::RangeOptions& range) {
    // Whoever opens a profile says what is wrong with what cannot be read.
    if (!is_readable(path) || is_database(path)) return AnyProfile(path, {});
    OPSIGHT_ASSIGN(TemporaryFolder folder, TemporaryFolder::create());
    const std::string profile_path = folder.path() + "/profile.opsight";
    AnyProfile temporary(profile_path, std::move(folder));
    Progress progress(!quiet && ::isatty(STDERR_FILENO) == 1);
    importer::ImportOptions options;
    options.progress = &progress;
    OPSIGHT_ASSIGN(Profile profile, importer::import_files({path}, options));
    const std::vector<analyze::RankClock> clocks = analyze::align_ranks(profile);
    const analyze::Analysis analysis = analyze::analyze(profile, {});
    progress.clear();
    const bool cut_anew = range.whole || !range.key_op.empty() || !range.iteration_range.empty();
    if (!quiet)
        print_diagnostics(profile.diagnostics, cut_anew ? std::optional(Diag::kNoIterations) : std::nullopt);
    db::WriteOptions how;
    how.clocks = &clocks;
    OPSIGHT_TRY(db::write_profile(temporary.path_, profile, analysis, how));
    return temporary;
}

}  // namespace opsight::cli
