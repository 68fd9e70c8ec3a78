// Execution traces of Chakra (.et) that its converter made of an execution trace of PyTorch and a trace of
// torch.profiler: messages of protobuf behind their lengths, the first of them facts of the whole.
//
// Fields: schema/protobuf/et_def.proto of mlcommons/chakra; what the converter puts there:
// src/converter/pytorch_converter.py.
#pragma once

#include "base/byte_source.h"
#include "base/result.h"
#include "model/execution_trace.h"

namespace opsight::importer {

// Whether a file that begins so is one.
bool looks_like_chakra(std::string_view first);

// One message at a time is held in memory.
Result<ExecutionTrace> read_chakra(PeekedSource& source);

}  // namespace opsight::importer
