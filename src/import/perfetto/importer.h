// Imports traces of Perfetto in protobuf: the track events, their tracks and counters.
//
// Messages and their field numbers: protos/perfetto/trace/ of google/perfetto (trace_packet, track_event,
// track_descriptor, debug_annotation, interned_data, clock_snapshot, process_tree).
#pragma once

#include "import/reader/one_file.h"

namespace opsight::importer::perfetto {

Result<ImportFacts> import_packets(const OneFile& file, ProfileBuilder& builder);

}  // namespace opsight::importer::perfetto
