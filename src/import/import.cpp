#include "import/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <thread>

#include "base/gzip_source.h"
#include "base/tar_reader.h"
#include "import/choose.h"
#include "import/cycles.h"
#include "import/executiontrace/execution_trace.h"
#include "import/reader/rank_hint.h"
#include "import/reader/tables.h"
#include "import/unread.h"
#include "model/source_limits.h"

namespace opsight::importer {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kUnixSince2001 =
    1'000'000'000'000'000'000;  // earlier times are of a clock that starts at boot

struct Input : InputFile {
    uint64_t size = 0;
};

// One damaged file stops the import of a folder: a rank that is silently not there would falsify every sum.
Error in_folder(Error error, bool found) {
    if (found)
        error.remedy += fmt::format("{}to import the rest, give the other files by name",
                                    error.remedy.empty() ? "" : "; ");
    return error;
}

class Importer {
  public:
    explicit Importer(const ImportOptions& options) : options_(options) {
        context_.progress = options.progress;
        const size_t cores = std::max(1u, std::thread::hardware_concurrency());
        context_.threads = options.threads > 0 ? options.threads : std::min<size_t>(cores, 8);
    }

    Status run(const std::vector<std::string>& paths) {
        for (const std::string& path : paths)
            OPSIGHT_TRY(expand(path));
        for (const Input& input : inputs_) {
            context_.disk_bytes += input.size;
            paths_.push_back(input.path);
            if (input.found) beside_[folder_of(input.path)].push_back(input.path);
        }
        if (options_.progress) options_.progress->stage("reading", context_.disk_bytes);
        for (const Input& input : inputs_) {
            on_disk_ = input.path;
            OPSIGHT_TRY(import_input(input));
            context_.disk_before += input.size;
        }
        for (const auto& [reader, files] : together_) {
            OPSIGHT_TRY(add(std::get<ReadTogether>(reader->read)(files, context_, builder_)));
            name_ranks(*reader);
        }
        if (facts_.files == 0) return fail(nothing_read(paths.empty() ? "" : paths.front()));
        return {};
    }

    Profile finish() {
        join_cycles(builder_);
        Profile profile = std::move(builder_).finish();
        const auto lasts = [](int64_t ns) { return ns > 0; };
        if (has_durations_only(profile.info) &&
            std::none_of(profile.host.dur.begin(), profile.host.dur.end(), lasts) &&
            std::none_of(profile.device.dur.begin(), profile.device.dur.end(), lasts))
            set_moments_only(profile.info);
        profile.info.origin_is_unix = profile.info.origin_ns > kUnixSince2001;
        return profile;
    }
    const ImportFacts& facts() const { return facts_; }

  private:
    static std::string folder_of(const std::string& path) { return fs::path(path).parent_path().string(); }

    Status expand(const std::string& path) {
        std::error_code error;
        const fs::file_status status = fs::status(path, error);
        if (status.type() == fs::file_type::not_found) return fail("no such file or directory", path);
        if (error) return fail("cannot open: " + error.message(), path);
        if (!fs::is_directory(status)) {
            const uintmax_t size = fs::file_size(path, error);
            inputs_.push_back({{path, options_.one_run}, error ? 0 : size});
            return {};
        }
        std::vector<Input> found;
        const auto options = fs::directory_options::skip_permission_denied;
        for (auto entry = fs::recursive_directory_iterator(path, options, error);
             !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
            if (entry->is_regular_file(error))
                found.push_back({{entry->path().string(), true}, entry->file_size(error)});
        if (error) return fail("cannot list the directory: " + error.message(), path);
        if (found.empty()) return fail("is a directory without files", path);
        std::sort(found.begin(), found.end(), [](const Input& a, const Input& b) {
            const int64_t x = rank_hint(a.path), y = rank_hint(b.path);
            return x != y ? x < y : a.path < b.path;
        });
        inputs_.insert(inputs_.end(), found.begin(), found.end());
        return {};
    }

    Status import_input(const Input& input) {
        const auto named = std::find_if(
            options_.readers.begin(), options_.readers.end(),
            [&](const Reader& reader) { return reader.claims_name && reader.claims_name(input); });
        Result<std::unique_ptr<ByteSource>> file = open_file(input.path);
        if (named == options_.readers.end()) {
            if (file) return import_source(std::move(*file), input, 0);
            return file.error().file.empty() || !input.found ? fail(file.error()) : skip(file.error());
        }
        if (file) {  // a pointer to it, or the page of a failed download, may have its name
            PeekedSource source(std::move(*file));
            if (Unread unread = unread_kind(Head(input, source)); unread.certain)
                return refuse(input, std::move(unread.what), std::move(unread.remedy));
        }
        return import_with(*named, nullptr, input);
    }

    // Takes the wrappings off, then imports what is inside.
    Status import_source(std::unique_ptr<ByteSource> raw, const InputFile& file, int depth) {
        auto source = std::make_unique<PeekedSource>(std::move(raw));
        OPSIGHT_ASSIGN(const std::string_view first, source->peek(Head::kBytes));
        const bool gzip = looks_like_gzip(first);
        if (gzip || looks_like_tar(first)) {
            if (depth >= kMostWrappings)
                return refuse(file, "is packed more than six times", "unpack it first");
            return gzip ? import_source(gunzip(std::move(source)), file, depth + 1)
                        : import_tar(std::move(source), file.path, depth);
        }
        if (first.size() < Head::kBytes && first.find_first_not_of(" \t\r\n") == first.npos) {
            if (const std::string damage = source->damage(); !damage.empty())
                return refuse(file, "holds nothing readable: " + damage, "copy the file again");
            return refuse(file, "is empty",
                          "was the program that wrote it still running, or did the disk fill up?");
        }
        return import_unpacked(*source, file, depth > 0);
    }

    Status import_unpacked(PeekedSource& source, const InputFile& file, bool packed) {
        std::vector<std::string> tables;
        OPSIGHT_ASSIGN(const std::string_view first, source.peek(Head::kBytes));
        if (looks_like_sqlite(first)) {
            if (packed) return refuse(file, "is a compressed SQLite database", "unpack it first");
            Result<std::vector<std::string>> found = tables_of(file.path);
            if (!found) return file.found ? skip(found.error()) : fail(found.error());
            tables = std::move(*found);
        }
        const bool is_execution_trace = looks_like_execution_trace(first);
        Choice choice = choose_reader(Head(file, source, tables), options_.readers);
        // A trace that was found, but cannot be told, would be missing like a damaged one.
        if (choice.is_conflict) return fail(in_folder(std::move(choice.refusal), file.found));
        if (!choice.reader && options_.execution_traces && file.found && is_execution_trace)
            return keep_for_later(choice.refusal);
        if (!choice.reader) return refuse(file, std::move(choice.refusal.what), choice.refusal.remedy);
        // Inside of an archive it has no file of its own.
        const bool unpacks = choice.reader->unpacks_gzip && file.path == on_disk_;
        if (packed && !unpacks && !std::holds_alternative<ReadStream>(choice.reader->read))
            return refuse(file, fmt::format("is packed, and {} are read from disk only", choice.reader->name),
                          "unpack it first");
        return import_with(*choice.reader, &source, file);
    }

    // `source`: of what was not claimed for its name.
    Status import_with(const Reader& reader, PeekedSource* source, const InputFile& file) {
        if (reader.left_out && file.found) {
            std::string why = reader.left_out(file.path, beside_[folder_of(file.path)]);
            if (!why.empty()) return skip({std::move(why), file.path, {}, {}});
        }
        if (reader.repeats)
            if (std::string why = reader.repeats(file.path, paths_); !why.empty())
                return refuse(file, std::move(why),
                              "counters of several passes join as tables (rocprofv3 --output-format csv)");
        if (std::holds_alternative<ReadTogether>(reader.read)) {
            together_[&reader].push_back(file);
            return {};
        }
        const auto* read = std::get_if<ReadFile>(&reader.read);
        Result<ImportFacts> facts =
            read ? (*read)(file, context_, builder_)
                 : std::get<ReadStream>(reader.read)(*source, file, context_, builder_);
        if (!facts) return fail(in_folder(std::move(facts).error(), file.found));
        name_ranks(reader);
        return add(facts);
    }

    // Of the ranks that this reader has begun.
    void name_ranks(const Reader& reader) {
        const size_t ranks = builder_.so_far().ranks.size();
        for (; named_ranks_ < ranks; ++named_ranks_) {
            Rank& rank = builder_.rank(RankId(named_ranks_));
            rank.format = reader.name;
            rank.name_tells = rank_hint(rank.source) >= 0;
        }
    }

    Status add(const Result<ImportFacts>& facts) {
        if (!facts) return fail(facts.error());
        facts_.files += facts->files;
        facts_.bytes += facts->bytes;
        facts_.events += facts->events;
        return {};
    }

    Status import_tar(std::unique_ptr<ByteSource> archive, const std::string& name, int depth) {
        TarReader tar(std::move(archive));
        for (;;) {
            OPSIGHT_ASSIGN(const std::optional<TarReader::Member> member, tar.next());
            if (!member) break;
            OPSIGHT_TRY(import_source(tar.open_member(), {name + ":" + member->name, true}, depth + 1));
        }
        OPSIGHT_ASSIGN(const bool goes_on, tar.goes_on());
        if (goes_on)
            builder_.diagnostics().add(Diag::kMoreDocuments,
                                       {name, -1, -1, "another archive or a file behind the tar archive"});
        if (const std::string damage = tar.damage(); !damage.empty())
            builder_.diagnostics().add(Diag::kTruncatedInput, {name, -1, -1, damage});
        return {};
    }

    Status refuse(const InputFile& file, std::string what, std::string remedy) {
        Error error{std::move(what), file.path, {}, std::move(remedy)};
        return file.found ? skip(std::move(error)) : fail(std::move(error));
    }

    Status skip(const Error& error) {
        builder_.diagnostics().add(Diag::kSkippedFile, {error.file, -1, -1, error.what});
        if (!first_skipped_) first_skipped_ = error;
        return {};
    }

    Status keep_for_later(const Error& refusal) {
        if (options_.execution_traces->empty() || options_.execution_traces->back() != on_disk_)
            options_.execution_traces->push_back(on_disk_);
        if (!first_skipped_) first_skipped_ = refusal;
        return {};
    }

    Error nothing_read(const std::string& path) {
        if (!first_skipped_) return {"holds no trace", path, {}, what_is_read(options_.readers)};
        const int64_t others = builder_.diagnostics().count(Diag::kSkippedFile) - 1;
        return {fmt::format("holds no trace: {} {}{}", first_skipped_->file, first_skipped_->what,
                            others > 0 ? fmt::format(", and {} more passed over", others) : ""),
                path,
                {},
                first_skipped_->remedy.empty() ? what_is_read(options_.readers) : first_skipped_->remedy};
    }

    // Archives in archives: each level takes some of the stack.
    static constexpr int kMostWrappings = 6;

    const ImportOptions& options_;
    ReadContext context_;
    std::vector<Input> inputs_;
    std::vector<std::string> paths_;
    std::map<std::string, std::vector<std::string>> beside_;  // files that were found, by directory
    std::map<const Reader*, std::vector<InputFile>> together_;
    std::optional<Error> first_skipped_;
    std::string on_disk_;  // the file that is read at present, or the archive that holds it
    ProfileBuilder builder_;
    ImportFacts facts_;
    size_t named_ranks_ = 0;
};

}  // namespace

Result<Profile> import_files(const std::vector<std::string>& paths, const ImportOptions& options,
                             ImportFacts* facts) {
    Importer importer(options);
    OPSIGHT_TRY(importer.run(paths));
    if (facts) *facts = importer.facts();
    return importer.finish();
}

}  // namespace opsight::importer
