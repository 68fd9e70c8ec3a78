// The readers of an export, each for some of its tables. Order matters a little: read_cuda makes the ranks.
#pragma once

#include "import/nsys/report.h"

namespace opsight::importer::nsys {

Status read_mpi_ranks(Report& report);    // numbers of ranks; before all that makes ranks
Status read_cuda(Report& report);         // API calls, kernels, copies, sets, waits, graphs
Status read_nvtx(Report& report);         // NVTX_EVENTS
Status read_host_calls(Report& report);   // OS runtime, libraries, message passing, overhead
Status read_memory(Report& report);       // allocations, page faults, scheduling
Status read_counters(Report& report);     // metrics of GPUs and network cards
Status read_samples(Report& report);      // samples of CPUs
Status read_file_access(Report& report);  // files that were opened, read and written
Status read_target(Report& report);       // devices, contexts, streams, names of threads and processes
Status read_environment(Report& report);  // versions, epoch, host; before all others
void note_unread(Report& report);         // which tables were not used

}  // namespace opsight::importer::nsys
