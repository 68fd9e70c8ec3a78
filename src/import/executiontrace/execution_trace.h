// Execution traces of PyTorch (schemas 1.0 and 1.1): JSON of nodes with inputs, outputs and what they depend
// on. They hold no times, so they are read beside a trace that does.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/execution_trace.h"

namespace opsight::importer {

// Whether a file that begins so is one.
bool looks_like_execution_trace(std::string_view first);

// From the text of a file, which is held in memory and may be repaired.
Result<ExecutionTrace> parse_execution_trace(std::string& text);

// Files, each plain or gzipped, tar archives of them, or directories: of archives and directories those that
// are execution traces. Fails where one cannot be read, or where there is none.
Result<std::vector<ExecutionTrace>> read_execution_traces(const std::vector<std::string>& paths);

}  // namespace opsight::importer
