#include "fleet/parquet/parquet_push.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "base/output_file.h"
#include "fleet/parquet/layout.h"
#include "fleet/parquet/manifest.h"

namespace opsight::fleet::parquet {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGoesOn =
    "nothing of this push is seen; make room and push again: it goes on where it was";

Error failed(const std::string& what, const std::string& path, int problem) {
    return {fmt::format("{}: {}", what, std::strerror(problem)),
            path,
            {},
            kGoesOn,
            1,
            problem == ENOSPC || problem == EDQUOT ? ErrorCode::kNoSpace
            : problem == ENOENT                    ? ErrorCode::kNotFound
                                                   : ErrorCode::kOther};
}

Status make_folders(const std::string& path) {
    std::error_code problem;
    fs::create_directories(path, problem);
    if (problem) return fail(failed("cannot be made", path, problem.value()));
    return {};
}

int64_t bytes_of(const std::string& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) ? found.st_size : -1;
}

bool is_whole(const Manifest& manifest, const std::string& root) {
    return std::all_of(manifest.files.begin(), manifest.files.end(), [&](const ManifestFile& file) {
        return bytes_of(part_path(root, manifest.id, file.part)) == file.bytes;
    });
}

// All that the file system of the folder has not written yet, names included.
Status write_all(const std::string& folder) {
    const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return fail(failed("cannot be read", folder, errno));
    const int done = ::syncfs(file), problem = errno;
    ::close(file);
    if (done != 0) return fail(failed("cannot be written", folder, problem));
    return {};
}

// The columns of the part but those that its folders tell.
std::string columns_in_file(const Table& table) {
    std::string columns;
    for (const Column& column : table.columns)
        if (!table.by_rank || column.name != "rank")
            columns += (columns.empty() ? "" : ", ") + duck::quote_name(column.name);
    return columns;
}

// Folders of pushes that ended long ago without a commit, and that nobody takes up.
void remove_abandoned(const std::string& staging) {
    constexpr auto kKept = std::chrono::hours(7 * 24);
    std::error_code problem;
    for (fs::directory_iterator at(staging, problem), end; !problem && at != end; at.increment(problem)) {
        const auto changed = fs::last_write_time(at->path(), problem);
        if (problem || fs::file_time_type::clock::now() - changed < kKept) continue;
        const auto lock = FolderLock::try_take((at->path() / "lock").string());
        if (lock && *lock) fs::remove_all(at->path(), problem);
    }
}

}  // namespace

Result<std::unique_ptr<Push>> ParquetPush::begin(const std::string& root, const PushId& id) {
    // Another process may push the same facts at this moment: each has a folder of its own.
    constexpr int kMostAtOnce = 64;
    for (int place = 0; place < kMostAtOnce; ++place) {
        const std::string folder = fmt::format("{}{}.{}/", staging_folder(root), id.push, place);
        OPSIGHT_TRY(make_folders(folder));
        OPSIGHT_ASSIGN(std::optional<FolderLock> lock, FolderLock::try_take(folder + "lock"));
        if (!lock) continue;
        std::unique_ptr<ParquetPush> push(new ParquetPush(root, id, folder, std::move(*lock)));
        const auto before = read_manifest(manifest_path(root, id.run), id.run);
        if (before && before->id.push == id.push)
            for (const ManifestFile& file : before->files)
                push->told_[part_path(root, id, file.part)] = file.bytes;
        return push;
    }
    return fail(fmt::format("{} processes push these facts already", kMostAtOnce), root, {},
                "wait until they have ended");
}

bool ParquetPush::has(const Part& part) const {
    if (bytes_of(staged_path(folder_, part)) > 0) return true;
    const std::string path = part_path(root_, id_, part);
    const auto told = told_.find(path);
    const int64_t bytes = bytes_of(path);
    return bytes > 0 && (told == told_.end() || told->second == bytes);  // else it was damaged since
}

Status ParquetPush::stage(const Part& part, RowSource& source, const duck::Statement& rows) {
    OPSIGHT_ASSIGN(OutputFile file, OutputFile::reserve(staged_path(folder_, part), true));
    duck::Statement copy = rows;
    copy.text = fmt::format("COPY (SELECT {} FROM ({}\n)) TO {} (FORMAT parquet, COMPRESSION zstd)",
                            columns_in_file(*part.table), rows.text, duck::quote_text(file.temporary()));
    if (auto written = source.query(copy); !written) {
        Error error = std::move(written).error();
        if (error.code == ErrorCode::kNoSpace) error.remedy = kGoesOn;
        return fail(std::move(error));
    }
    return file.commit();
}

// Under their final names, which nobody looks at before the manifest names them.
Status ParquetPush::move_files(const std::vector<Part>& parts) const {
    for (const Part& part : parts) {
        const std::string from = staged_path(folder_, part), to = part_path(root_, id_, part);
        if (bytes_of(from) < 0 && bytes_of(to) > 0) continue;  // an earlier try came so far
        OPSIGHT_TRY(make_folders(part_folder(root_, id_.run, part)));
        if (::rename(from.c_str(), to.c_str()) != 0)
            return fail(failed("cannot be given its name", to, errno));
    }
    return write_all(root_);
}

Status ParquetPush::name_them(const std::vector<Part>& parts) const {
    Manifest manifest{id_, {}};
    for (const Part& part : parts) {
        const std::string path = part_path(root_, id_, part);
        manifest.files.push_back({part, bytes_of(path)});
        if (manifest.files.back().bytes <= 0) return fail(failed("is gone", path, ENOENT));
    }
    OPSIGHT_ASSIGN(OutputFile file, OutputFile::create(manifest_path(root_, id_.run), true));
    OPSIGHT_TRY(file.write(manifest.text()));
    return file.commit();
}

// Files of the run that are of no push in force; what cannot be removed is not seen either.
void ParquetPush::remove_superseded() const {
    const std::string ours = id_.push + ".parquet";
    std::error_code problem;
    for (const Table& table : tables()) {
        const fs::path folder = part_folder(root_, id_.run, {&table, {}});
        // A link may lead to what is not the store's. (The path ends with a slash.)
        if (fs::is_symlink(folder.parent_path(), problem)) continue;
        fs::recursive_directory_iterator at(folder, problem), end;
        for (; !problem && at != end; at.increment(problem)) {
            const fs::path& file = at->path();
            const bool of_a_push = file.extension() == ".parquet" && is_id(file.stem().string());
            if (of_a_push && at->is_regular_file(problem) && file.filename() != ours)
                fs::remove(file, problem);
        }
    }
}

Status ParquetPush::commit(const std::vector<Part>& parts) {
    OPSIGHT_TRY(make_folders(runs_folder(root_)));
    {
        OPSIGHT_ASSIGN(const FolderLock lock, FolderLock::take(lock_path(root_, id_.run)));
        const std::string manifest = manifest_path(root_, id_.run);
        // One that cannot be read is replaced.
        const auto before = has_manifest(manifest) ? read_manifest(manifest, id_.run)
                                                   : Result<Manifest>(fail("there is none"));
        if (!before || before->id.push != id_.push || !is_whole(*before, root_)) {
            OPSIGHT_TRY(move_files(parts));
            OPSIGHT_TRY(name_them(parts));
            remove_superseded();
        }
    }
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    remove_abandoned(staging_folder(root_));
    return {};
}

}  // namespace opsight::fleet::parquet
