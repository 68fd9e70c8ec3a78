#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/gzip_source.h"
#include "base/tar_reader.h"
#include "import/executiontrace/chakra.h"
#include "import/executiontrace/execution_trace.h"
#include "import/reader/rank_hint.h"

namespace opsight::importer {
namespace {

namespace fs = std::filesystem;

constexpr size_t kHead = 4096;

class Files {
  public:
    Status add(const std::string& path) {
        std::error_code problem;
        if (!fs::is_directory(path, problem)) {
            OPSIGHT_ASSIGN(std::unique_ptr<ByteSource> file, open_file(path));
            return add_source(std::move(file), path, false, 0);
        }
        std::vector<std::string> found;
        const auto options = fs::directory_options::skip_permission_denied;
        for (auto entry = fs::recursive_directory_iterator(path, options, problem);
             !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem))
            if (entry->is_regular_file(problem)) found.push_back(entry->path().string());
        if (problem) return fail("cannot list the directory: " + problem.message(), path);
        std::sort(found.begin(), found.end());
        for (const std::string& each : found) {
            OPSIGHT_ASSIGN(std::unique_ptr<ByteSource> file, open_file(each));
            OPSIGHT_TRY(add_source(std::move(file), each, true, 0));
        }
        return {};
    }

    std::vector<ExecutionTrace> take() { return std::move(traces_); }
    bool empty() const { return traces_.empty(); }

  private:
    // `found`: in a directory or an archive, where it may be anything.
    Status add_source(std::unique_ptr<ByteSource> raw, const std::string& name, bool found, int depth) {
        constexpr int kMostWrappings = 6;
        auto source = std::make_unique<PeekedSource>(std::move(raw));
        OPSIGHT_ASSIGN(const std::string_view first, source->peek(kHead));
        const bool gzip = looks_like_gzip(first);
        if ((gzip || looks_like_tar(first)) && depth < kMostWrappings) {
            if (gzip) return add_source(gunzip(std::move(source)), name, found, depth + 1);
            return add_archive(std::move(source), name, depth);
        }
        if (looks_like_chakra(first)) {
            Result<ExecutionTrace> trace = read_chakra(*source);
            if (trace && !source->damage().empty())
                return fail("cannot be read to its end: " + source->damage(), name);
            return keep(std::move(trace), name);
        }
        if (!looks_like_execution_trace(first))
            return found ? Status() : fail(Error{"is not an execution trace of PyTorch", name, {}, kRemedy});
        return add_trace(*source, name);
    }

    Status add_archive(std::unique_ptr<ByteSource> archive, const std::string& name, int depth) {
        TarReader tar(std::move(archive));
        for (;;) {
            OPSIGHT_ASSIGN(const std::optional<TarReader::Member> member, tar.next());
            if (!member) break;
            OPSIGHT_TRY(add_source(tar.open_member(), name + ":" + member->name, true, depth + 1));
        }
        if (!tar.damage().empty()) return fail("cannot be read to its end: " + tar.damage(), name);
        return {};
    }

    Status add_trace(PeekedSource& source, const std::string& name) {
        constexpr size_t kMost = size_t{1} << 30, kStep = size_t{1} << 20;
        std::string text;
        for (size_t got = kStep; got == kStep;) {
            const size_t used = text.size();
            if (used >= kMost)
                return fail("has more than 1 GiB, which are not read", name, {}, "record fewer steps");
            text.resize(used + kStep);
            OPSIGHT_ASSIGN(got, read_fully(source, text.data() + used, kStep));
            text.resize(used + got);
        }
        if (!source.damage().empty()) return fail("cannot be read to its end: " + source.damage(), name);
        return keep(parse_execution_trace(text), name);
    }

    Status keep(Result<ExecutionTrace> trace, const std::string& name) {
        if (!trace) {
            trace.error().file = name;
            return fail(trace.error());
        }
        trace->source = name;
        trace->rank_hint = rank_hint(name);
        traces_.push_back(std::move(*trace));
        return {};
    }

    static constexpr const char* kRemedy =
        "give what torch.profiler.ExecutionTraceObserver wrote during the run: JSON with \"schema\" and "
        "\"nodes\", or the .et that Chakra made of it";

    std::vector<ExecutionTrace> traces_;
};

}  // namespace

Result<std::vector<ExecutionTrace>> read_execution_traces(const std::vector<std::string>& paths) {
    Files files;
    for (const std::string& path : paths)
        OPSIGHT_TRY(files.add(path));
    if (files.empty())
        return fail(Error{"holds no execution trace of PyTorch",
                          paths.empty() ? "" : paths.front(),
                          {},
                          "give what torch.profiler.ExecutionTraceObserver wrote during the run"});
    return files.take();
}

}  // namespace opsight::importer
