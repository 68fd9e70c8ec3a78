#include "collect/launch/nsys.h"

#include <fmt/format.h>

#include "collect/launch/check.h"

namespace opsight::collect {

Result<ProgramEnd> run_nsys(const std::vector<std::string>& command, const std::string& folder,
                            const RecordOptions& options) {
    const std::string program = find_program("nsys");
    if (program.empty())
        return fail("Nsight Systems is not installed: 'nsys' is not on PATH", {}, {},
                    "install it, or leave --collector out; 'opsight profile --check' tells what works here");
    std::vector<std::string> words = {
        program,
        "profile",
        "--output",
        folder + "/run",
        "--force-overwrite",
        "true",
        "--sample",
        "none",
        "--trace",
        std::string(options.cuda ? "cuda,cudnn,cublas," : "") + (options.nvtx ? "nvtx," : "") + "osrt"};
    if (options.delay_s > 0) words.insert(words.end(), {"--delay", fmt::format("{}", options.delay_s)});
    if (options.duration_s > 0)
        words.insert(words.end(), {"--duration", fmt::format("{}", options.duration_s)});
    if (!options.capture_range.empty()) {
        const bool profiler = options.capture_range == kProfilerRange;
        words.insert(words.end(), {"--capture-range", profiler ? std::string(kProfilerRange) : "nvtx"});
        if (!profiler) words.insert(words.end(), {"--nvtx-capture", options.capture_range});
        words.insert(words.end(), {"--capture-range-end", options.capture_repeat ? "repeat" : "stop"});
        // Texts that the program did not register count too.
        if (!profiler) words.insert(words.end(), {"--env-var", "NSYS_NVTX_PROFILER_REGISTER_ONLY=0"});
    }
    // Domains by name, with commas between: those that are kept (1), those that are not (0).
    for (const auto& [option, keep] :
         {std::pair("--nvtx-domain-include", 1u), {"--nvtx-domain-exclude", 0u}}) {
        std::string names;
        for (const auto& [domain, every] : options.domains)
            if (every == keep && domain != "*") names += (names.empty() ? "" : ",") + domain;
        if (!names.empty()) words.insert(words.end(), {option, names});
    }
    words.insert(words.end(), command.begin(), command.end());
    RecordOptions bare;
    bare.nvtx = bare.cuda = bare.pytorch = false;
    return run_recorded(words, folder, {}, bare);
}

}  // namespace opsight::collect
