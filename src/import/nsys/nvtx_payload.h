// Payloads of NVTX ranges that a schema describes (NCCL's message sizes, for one), as exports have them.
//
// An export made with --include-blobs has them in NVTX_EVENTS.binaryData, as a blob or in hex: a header of
// four 64-bit numbers, of which the second is the id of the schema and the third the size of the payload,
// then the payload. This form is not documented; what does not fit it is not decoded. Schemas stand in
// NVTX_PAYLOAD_SCHEMAS and NVTX_PAYLOAD_SCHEMA_ENTRIES, enumerations in NVTX_PAYLOAD_ENUMS and
// NVTX_PAYLOAD_ENUM_ENTRIES; their types and flags are those of NVTX' header nvToolsExtPayload.h. These
// tables do not tell processes apart: where two of one domain and id differ, neither is used.
#pragma once

#include "import/nsys/report.h"
#include "import/nvtx/payload.h"

namespace opsight::importer::nsys {

// Nothing where the export has no such tables.
Status load_payload_schemas(Report& report, nvtx::Schemas& schemas);

nvtx::Decoded decode_payload(const nvtx::Schemas& schemas, int64_t domain, std::string_view binary,
                             const nvtx::TextOf& text_of);

}  // namespace opsight::importer::nsys
