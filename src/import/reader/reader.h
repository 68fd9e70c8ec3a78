// What a format tells of itself: how its files are told from others, and what reads them. Each folder of a
// format has one of these or several, in its reader.h; all_readers.cpp lists them, and import.cpp walks that
// list.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/byte_source.h"
#include "base/progress.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace opsight::importer {

// A file that was given, or come upon in a directory or an archive that was given: then it may be anything.
struct InputFile {
    std::string path;  // "ranks.tar:rank0.json" inside of an archive
    bool found = false;
};

// What can be seen of a file without reading it, with its wrappings (gzip, tar) taken off.
class Head {
  public:
    static constexpr size_t kBytes = 4096;
    // So much of a program's output is looked at by `sniff`, and by `sniff_far`.
    static constexpr size_t kOutputBytes = size_t{1} << 18, kFarBytes = size_t{1} << 26;

    Head(const InputFile& file, PeekedSource& source, std::span<const std::string> tables = {})
        : file_(file), source_(source), tables_(tables) {}
    const std::string& path() const { return file_.path; }
    bool found() const { return file_.found; }
    // The first bytes behind a byte order mark; fewer where the file has fewer. Valid until the next call.
    std::string_view first(size_t bytes = kBytes) const;
    // Whether it is a SQLite database with a table (no view) of that name.
    bool has_table(std::string_view name) const;
    // Whether it is one with a table whose name begins so.
    bool has_table_like(std::string_view prefix) const;

  private:
    const InputFile& file_;
    PeekedSource& source_;
    std::span<const std::string> tables_;
};

// One reader that is certain gets the file; where none is, the one to which it is possible. Two that claim a
// file alike are an error that names both: nobody is asked to guess.
enum class Claim : uint8_t { kNone, kPossible, kCertain };

struct ReadContext {
    size_t threads = 1;
    Progress* progress = nullptr;  // told of bytes read from disk
    uint64_t disk_bytes = 0;       // of all files of this import
    uint64_t disk_before = 0;      // of those that came before this one
};

struct ImportFacts {
    uint64_t files = 0, bytes = 0, events = 0;  // bytes: uncompressed
};

// How files are read: from their unpacked bytes, front to back; from disk by their name, so inside of no gzip
// and no archive; or all that an import holds of the kind at once, behind all others, as the parts of one
// recording.
using ReadStream = Result<ImportFacts> (*)(PeekedSource& source, const InputFile& file,
                                           const ReadContext& context, ProfileBuilder& builder);
using ReadFile = Result<ImportFacts> (*)(const InputFile& file, const ReadContext& context,
                                         ProfileBuilder& builder);
using ReadTogether = Result<ImportFacts> (*)(std::span<const InputFile> files, const ReadContext& context,
                                             ProfileBuilder& builder);

struct Reader {
    std::string_view name;  // "databases of DLProf", as help and messages say it
    std::string_view
        description;  // who wrote them, and which of them: a line of the help and of docs/FORMATS.md
    // Of names in use, the longest first; what a file holds is told by its content.
    std::vector<std::string_view> endings;
    Claim (*sniff)(const Head& head);
    std::variant<ReadStream, ReadFile, ReadTogether> read;
    // Where set: takes a file for its name alone, for its content cannot tell. Not of a ReadStream.
    bool (*claims_name)(const InputFile& file) = nullptr;
    // Where set: why a file that was found is left out for one that lies beside it, which tells more ("its
    // export X is read instead"); empty: it is read. `beside`: the files of its directory, in order.
    std::string (*left_out)(const std::string& path, std::span<const std::string> beside) = nullptr;
    // Where set: why a file is not read beside another one of this import, `all` of whose files are given: it
    // is of a further run of the same program; empty: it is read.
    std::string (*repeats)(const std::string& path, std::span<const std::string> all) = nullptr;
    // Where set: looks again, much farther, at a text that nobody claims: a program may print a lot before
    // what is looked for.
    Claim (*sniff_far)(const Head& head) = nullptr;
    // Whether `read` unpacks a gzipped file itself, for it gets the file by its name. Not of a ReadStream.
    bool unpacks_gzip = false;
};

using Readers = std::span<const Reader>;

}  // namespace opsight::importer
