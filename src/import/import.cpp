#include "import/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "base/gzip_source.h"
#include "base/tar_reader.h"
#include "import/capture/importer.h"
#include "import/kineto/importer.h"
#include "import/nsys/importer.h"
#include "import/rank_hint.h"
#include "import/sniff.h"
#include "import/sqlite/importer.h"

namespace opsight {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kUnixSince2001 =
    1'000'000'000'000'000'000;  // earlier times are of a clock that starts at boot

// A file that was given, or found in a directory that was given.
struct Input {
    std::string path;
    bool found = false;  // found: may be something else than a trace, and is passed over then
    uint64_t size = 0;
};

class Importer {
  public:
    explicit Importer(const ImportOptions& options) : options_(options) {
        trace_.progress = options.progress;
        const size_t cores = std::max(1u, std::thread::hardware_concurrency());
        trace_.threads = options.threads > 0 ? options.threads : std::min<size_t>(cores, 8);
    }

    Status run(const std::vector<std::string>& paths) {
        for (const std::string& path : paths)
            OPSIGHT_TRY(expand(path));
        take_captures();
        for (const Input& input : inputs_)
            trace_.disk_bytes += input.size;
        if (options_.progress) options_.progress->stage("reading", trace_.disk_bytes);
        for (const Input& input : inputs_) {
            OPSIGHT_TRY(import_input(input));
            trace_.disk_before += input.size;
        }
        OPSIGHT_TRY(import_captures());
        if (facts_.files == 0)
            return fail("holds no trace", paths.empty() ? "" : paths.front(), {},
                        "a PyTorch trace is a .json or .json.gz with a list 'traceEvents', a report of "
                        "Nsight Systems a .sqlite or .nsys-rep");
        return {};
    }

    Profile finish() {
        Profile profile = std::move(builder_).finish();
        profile.info.origin_is_unix = profile.info.origin_ns > kUnixSince2001;
        return profile;
    }
    const ImportFacts& facts() const { return facts_; }

  private:
    Status expand(const std::string& path) {
        std::error_code error;
        const fs::file_status status = fs::status(path, error);
        if (status.type() == fs::file_type::not_found) return fail("no such file or directory", path);
        if (error) return fail("cannot open: " + error.message(), path);
        if (!fs::is_directory(status)) {
            const uintmax_t size = fs::file_size(path, error);
            inputs_.push_back({path, options_.one_run, error ? 0 : size});
            return {};
        }
        std::vector<Input> found;
        const auto options = fs::directory_options::skip_permission_denied;
        for (auto entry = fs::recursive_directory_iterator(path, options, error);
             !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
            if (entry->is_regular_file(error))
                found.push_back({entry->path().string(), true, entry->file_size(error)});
        if (error) return fail("cannot list the directory: " + error.message(), path);
        if (found.empty()) return fail("is a directory without files", path);
        drop_exported(found);
        std::sort(found.begin(), found.end(), [](const Input& a, const Input& b) {
            const int64_t x = rank_hint(a.path), y = rank_hint(b.path);
            return x != y ? x < y : a.path < b.path;
        });
        inputs_.insert(inputs_.end(), found.begin(), found.end());
        return {};
    }

    // Where a report of Nsight Systems lies beside its export, the export is read.
    void drop_exported(std::vector<Input>& found) {
        std::set<std::string> paths;
        for (const Input& input : found)
            paths.insert(input.path);
        drop_derived(found);
        std::erase_if(found, [&](const Input& input) {
            if (!nsys::is_report(input.path)) return false;
            const std::string exported = fs::path(input.path).replace_extension(".sqlite").string();
            if (!paths.contains(exported)) return false;
            (void)skip({"its export " + exported + " is read instead", input.path, {}, {}});
            return true;
        });
    }

    // DLProf leaves its database beside the export that it made it from: the export tells more.
    void drop_derived(std::vector<Input>& found) {
        std::map<std::string, std::string> exports;  // of each folder
        std::set<std::string> databases;
        for (const Input& input : found) {
            if (fs::path(input.path).extension() != ".sqlite") continue;
            const Result<SqliteKind> kind = sqlite_kind(input.path);
            if (kind && *kind == SqliteKind::kNsys)
                exports.emplace(fs::path(input.path).parent_path().string(), input.path);
            if (kind && *kind == SqliteKind::kDlprof) databases.insert(input.path);
        }
        std::erase_if(found, [&](const Input& input) {
            const auto exported = exports.find(fs::path(input.path).parent_path().string());
            if (exported == exports.end() || !databases.contains(input.path)) return false;
            (void)skip(
                {"is a database of DLProf; the export beside it, " + exported->second + ", is read instead",
                 input.path,
                 {},
                 {}});
            return true;
        });
    }

    // The recordings of `opsight profile`: the files of one run belong together, one for each process.
    void take_captures() {
        std::erase_if(inputs_, [this](const Input& input) {
            const bool is_capture =
                capture::is_capture(input.path) || (input.found && capture::is_named_so(input.path));
            if (is_capture) captures_.push_back(input.path);
            lenient_captures_ |= is_capture && input.found;
            return is_capture;
        });
    }

    Status import_captures() {
        if (captures_.empty()) return {};
        OPSIGHT_ASSIGN(const capture::CaptureFacts facts,
                       capture::import_captures(captures_, lenient_captures_, builder_, options_.progress));
        facts_.files += facts.files;
        facts_.bytes += facts.bytes;
        facts_.events += facts.records;
        return {};
    }

    Status import_input(const Input& input) {
        if (nsys::is_report(input.path)) return import_nsys(input.path, input.found, nsys::import_report);
        Result<std::unique_ptr<ByteSource>> file = open_file(input.path);
        if (!file) return file.error().file.empty() || !input.found ? fail(file.error()) : skip(file.error());
        return import_source(std::move(*file), input.path, input.found, 0);
    }

    // Takes the wrappings off, then imports what is inside. `lenient`: what is not a trace is passed over.
    Status import_source(std::unique_ptr<ByteSource> raw, const std::string& name, bool lenient, int depth) {
        auto source = std::make_unique<PeekedSource>(std::move(raw));
        Result<std::string_view> first = source->peek(kSniffBytes);
        if (!first) return fail(std::move(first).error());
        const Sniffed sniffed = sniff(*first);
        const auto refuse = [&](std::string what, std::string hint) -> Status {
            Error error{std::move(what), name, {}, std::move(hint)};
            return lenient ? skip(std::move(error)) : fail(std::move(error));
        };
        switch (sniffed.format) {
            case Format::kGzip:
                if (depth >= kMostWrappings) return refuse(kWrapped, "unpack it first");
                return import_source(gunzip(std::move(source)), name, lenient, depth + 1);
            case Format::kTar:
                if (depth >= kMostWrappings) return refuse(kWrapped, "unpack it first");
                return import_tar(std::move(source), name, depth);
            case Format::kEmpty:
                if (const std::string damage = source->damage(); !damage.empty())
                    return refuse("holds nothing readable: " + damage, "copy the file again");
                return refuse("is empty",
                              "was the program that wrote it still running, or did the disk fill up?");
            case Format::kSqlite:
                if (depth > 0) return refuse("is a compressed SQLite database", "unpack it first");
                return import_nsys(name, lenient, import_sqlite);
            case Format::kOther:
                return refuse("is " + sniffed.what + ", not a trace", sniffed.hint);
            case Format::kJson:
                break;
        }
        return import_json(*source, name, lenient);
    }

    template <class Read>
    Status import_nsys(const std::string& path, bool lenient, Read read) {
        if (lenient && !nsys::is_report(path)) {
            Result<SqliteKind> kind = sqlite_kind(path);
            if (!kind) return skip(std::move(kind).error());
            if (*kind != SqliteKind::kNsys && *kind != SqliteKind::kDlprof)
                return skip({"is a SQLite database, but no export of Nsight Systems", path, {}, {}});
        }
        Result<nsys::ReportFacts> facts =
            read(path, nsys::ReadOptions{trace_.progress, trace_.disk_before}, builder_);
        if (!facts) return fail(in_folder(std::move(facts).error(), lenient));
        std::error_code ignored;
        const uintmax_t size = fs::file_size(path, ignored);
        ++facts_.files;
        facts_.bytes += ignored ? 0 : size;
        facts_.events += facts->events;
        return {};
    }

    Status import_json(PeekedSource& source, const std::string& name, bool lenient) {
        trace_.rank_hint = rank_hint(name);
        // A file of a directory need not be a trace: its first bytes tell before anything is added.
        OPSIGHT_ASSIGN(const std::string_view head, source.peek(lenient ? kHeaderBytes : kSniffBytes));
        if (lenient && !may_be_trace(head)) return skip({"is JSON, but no trace", name, {}, {}});
        if (const std::string profiler = foreign_profiler(head.substr(0, kSniffBytes)); !profiler.empty())
            builder_.diagnostics().add(Diag::kForeignTrace, {name, -1, -1, profiler});
        Result<kineto::TraceFacts> facts = kineto::import_trace(source, name, trace_, builder_);
        if (!facts) return fail(in_folder(std::move(facts).error(), lenient));
        ++facts_.files;
        facts_.bytes += facts->bytes;
        facts_.events += facts->events;
        return {};
    }

    Status import_tar(std::unique_ptr<ByteSource> archive, const std::string& name, int depth) {
        TarReader tar(std::move(archive));
        for (;;) {
            OPSIGHT_ASSIGN(const std::optional<TarReader::Member> member, tar.next());
            if (!member) break;
            OPSIGHT_TRY(import_source(tar.open_member(), name + ":" + member->name, true, depth + 1));
        }
        if (const std::string damage = tar.damage(); !damage.empty())
            builder_.diagnostics().add(Diag::kTruncatedInput, {name, -1, -1, damage});
        return {};
    }

    // Archives in archives: each level takes some of the stack.
    static constexpr int kMostWrappings = 6;
    static constexpr const char* kWrapped = "is packed more than six times";
    static constexpr size_t kHeaderBytes = size_t{1} << 20;

    // Lists of events come within the first megabyte, or the file is a bare list of objects.
    static bool may_be_trace(std::string_view head) {
        const size_t first = head.find_first_not_of(" \t\r\n");
        if (first == head.npos) return false;
        if (head[first] == '[') return head.find("\"ph\"") != head.npos;
        return head.find("\"traceEvents\"") != head.npos;
    }

    // One damaged file stops the import of a folder: a rank that is silently not there would falsify every
    // sum.
    static Error in_folder(Error error, bool found) {
        if (found)
            error.remedy += fmt::format("{}to import the rest, give the other files by name",
                                        error.remedy.empty() ? "" : "; ");
        return error;
    }

    Status skip(Error error) {
        builder_.diagnostics().add(Diag::kSkippedFile, {error.file, -1, -1, error.what});
        return {};
    }

    const ImportOptions& options_;
    kineto::TraceOptions trace_;
    std::vector<Input> inputs_;
    std::vector<std::string> captures_;
    bool lenient_captures_ = false;  // one that cannot be read costs its process only
    ProfileBuilder builder_;
    ImportFacts facts_;
};

}  // namespace

Result<Profile> import_files(const std::vector<std::string>& paths, const ImportOptions& options,
                             ImportFacts* facts) {
    Importer importer(options);
    OPSIGHT_TRY(importer.run(paths));
    if (facts) *facts = importer.facts();
    return importer.finish();
}

}  // namespace opsight
