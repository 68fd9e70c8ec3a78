// Accesses to files, where nsys was asked for them (OSRT_FILE_ACCESS_EVENTS, since 2025).
#include <fmt/format.h>

#include "import/nsys/readers.h"

namespace opsight::importer::nsys {
namespace {

struct OpenFile {
    int64_t pid = 0;
    std::string path;
};

std::string_view access_of(int64_t type) {
    constexpr std::string_view kNames[] = {"access", "open", "close", "read", "write"};
    return type > 0 && type < static_cast<int64_t>(std::size(kNames)) ? kNames[type] : kNames[0];
}

}  // namespace

Status read_file_access(Report& report) {
    ProfileBuilder& builder = report.builder();
    absl::flat_hash_map<int64_t, OpenFile> files;
    OPSIGHT_TRY(report.read(
        "OSRT_FILE_ACCESS_DESCRIPTORS", {"fileAccessId", "processId", "filePath"},
        [&](Table& row) {
            constexpr size_t kLongestPath = 4096;
            const StringId path = report.intern(row.text(2).substr(0, kLongestPath));
            files[row.number(0)] = {row.number(1, 0), std::string(builder.view(path))};
        },
        false));
    return report
        .read("OSRT_FILE_ACCESS_EVENTS",
              {"startedAt", "endedAt", "threadId", "fileAccessId", "eventType", "bytesProcessed"},
              [&](Table& row) {
                  HostSpan span;
                  if (!report.ended_times(row, 0, 1, span.begin, span.dur)) return;
                  const auto file = files.find(row.number(3));
                  if (file == files.end())
                      report.note(Diag::kDanglingId, fmt::format("file access {}", row.number(3)));
                  const OpenFile& of = file == files.end() ? OpenFile{0, "(name lost)"} : file->second;
                  span.kind = HostKind::kFileIo;
                  span.name = builder.text(fmt::format("{} {}", access_of(row.number(4)), of.path));
                  span.track = builder.host_track(report.rank_of_pid(of.pid), of.pid, row.number(2, 0));
                  builder.add_host(span);
                  Message size;
                  size.bytes = std::max<int64_t>(row.number(5), -1);
                  builder.extend_message(size);
              })
        .map([](bool) {});
}

}  // namespace opsight::importer::nsys
