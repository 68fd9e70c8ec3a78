// Imports tables of rocprof: the CSV files of rocprofv3 and rocprofv2 (a run has one for each kind of
// record), and results.csv of rocprof 1.
//
// Columns: source/lib/output/generateCSV.cpp of ROCm/rocprofiler-sdk, bin/tblextr.py and
// plugin/file/file.cpp of ROCm/rocprofiler (src/roctx/roctx.cpp of ROCm/roctracer: the ids of ranges), and
// the tables that the documentation of both prints.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "import/reader/reader.h"

namespace opsight::importer::rocprofcsv {

struct TableFile {
    std::string path;
    std::unique_ptr<PeekedSource> source;
    bool found = false;  // see InputFile
};

// All files at once: those of a run belong together by their names.
Result<ImportFacts> import_tables(std::vector<TableFile> files, const ReadContext& context,
                                  ProfileBuilder& builder);

}  // namespace opsight::importer::rocprofcsv
