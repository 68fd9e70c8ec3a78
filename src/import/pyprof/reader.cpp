#include "import/pyprof/reader.h"

#include "import/pyprof/importer.h"

namespace opsight::importer::pyprof {
namespace {

Claim sniff(const Head& head) {
    return kind_of(head.first()) == Kind::kNone ? Claim::kNone : Claim::kCertain;
}

}  // namespace

Reader output_reader() {
    return {.name = "output of PyProf",
            .description =
                "what pyprof.parse and 'pyprof.prof --csv' printed: kernels in order, with their calls of "
                "PyTorch",
            .endings = {".pyprof.dict", ".pyprof.csv", ".pyprof"},
            .sniff = sniff,
            .read = read_one<import_output>};
}

}  // namespace opsight::importer::pyprof
