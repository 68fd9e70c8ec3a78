// Imports reports of Nsight Systems: the SQLite export of any schema generation (from before metadata tables
// to 3.28), and .nsys-rep where the nsys program is there to export it.
//
// Each table is read once, front to back, columns by name where they are there. Cost: linear in rows.
#pragma once

#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace opsight::importer::nsys {

struct ReadOptions {
    Progress* progress = nullptr;
    uint64_t disk_before = 0;  // bytes of files that were read before this one
};

struct ReportFacts {
    uint64_t events = 0;  // rows that became spans, samples or the like
};

class Report;
using ReadTables = Status (*)(Report&);
// Opens a file that is such an export, or a database that grew from one, and has `read` take its tables in.
// `source`: the file that it was made from, where that is another one.
Result<ReportFacts> import_tables(const std::string& path, const ReadOptions& options,
                                  ProfileBuilder& builder, const std::string& source, ReadTables read);

// Of a file that is an export.
Result<ReportFacts> import_export(const std::string& path, const ReadOptions& options,
                                  ProfileBuilder& builder, const std::string& source = {});

// Whether the path names a report that nsys has to export first.
bool is_report(const std::string& path);
Result<ReportFacts> import_report(const std::string& path, const ReadOptions& options,
                                  ProfileBuilder& builder);

}  // namespace opsight::importer::nsys
