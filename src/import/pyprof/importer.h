// Imports what PyProf (apex.pyprof, nvidia-pyprof) makes of a database of nvprof: the dicts of pyprof.parse,
// a Python literal a line, and the table of pyprof.prof. Both have kernels in order, with what each took and
// the call of PyTorch that it is of; neither tells when. Literals are read as data, never evaluated.
#pragma once

#include "import/reader/one_file.h"

namespace opsight::importer::pyprof {

enum class Kind : uint8_t { kNone, kDicts, kTable };
// Of a file that begins so.
Kind kind_of(std::string_view first);

Result<ImportFacts> import_output(const OneFile& file, ProfileBuilder& builder);

}  // namespace opsight::importer::pyprof
