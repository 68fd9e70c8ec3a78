// Timeloop's input files: a problem, an architecture with its energies, and a mapping. Both generations: v0.3
// (arch/problem/mapspace, flat lists of storage) and v0.4, as people write it (nodes, expressions, variables,
// includes, compound components) and as Timeloop writes it out in parsed-processed-input.yaml; beside them
// Accelergy's tables (ERT, ART) and mappings as YAML or as the loop nest that Timeloop prints (*.map.txt).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "import/timeloop/template.h"
#include "map/architecture.h"
#include "map/constraints.h"
#include "map/mapping.h"
#include "map/problem.h"

namespace opsight::importer::timeloop {

// Lines of the files by what stands there: "level Buffer" of the architecture, "bound of C" of the problem,
// "loops of Buffer" (in time) and "loops across Buffer" of the mapping, "keep of Buffer" of the constraints,
// "dimension C" of its factors in either, else of its bound; "mapping".
struct Place {
    std::string file;
    int line = 0;
    bool weak = false;  // any factor is a better one
};
using Places = std::map<std::string, Place>;

struct Specification {
    map::Problem problem;
    map::Architecture architecture;
    std::optional<map::Mapping> mapping;
    map::Constraints constraints;  // on what a search may choose
    Places places;

    // An error of src/map with file and line instead of the part that it names.
    Error located(Error error) const;
};

// The files together: each part is found by its key, whatever the file; where two files have the same part,
// the later one goes. `mapping_file` may be empty: the mapping then is in one of the files, or there is none.
// A search needs the constraints, and no mapping; else it is the other way round.
// `shipped` names an architecture of architectures.h, which goes before the files; empty: none. `values` are
// those of names in {{ }}. What is returned has passed the checks of src/map.
Result<Specification> read_specification(const std::vector<std::string>& files,
                                         const std::string& mapping_file, bool for_search = false,
                                         const std::string& shipped = {}, const TemplateValues& values = {});

// An attribute of a part of the architecture that goes before the file's: GlobalBuffer, depth, 65536.
struct AttributeChange {
    std::string part, attribute, value;
};

// Architecture and constraints for a problem that no file has: a layer of a network, whose dimensions are G N
// C K P Q R S (groups, images, channels in and out, output, window). The files' constraints name the others;
// groups may go where the dimension goes that `groups` of mapspace names, else where images (N) may.
Result<Specification> read_accelerator(const std::vector<std::string>& files, const std::string& shipped,
                                       const std::vector<AttributeChange>& changes,
                                       const map::Problem& problem, const TemplateValues& values = {});

// As read_specification() for a search, with attributes that go before the files'.
Result<Specification> read_changed(const std::vector<std::string>& files, const std::string& shipped,
                                   const std::vector<AttributeChange>& changes,
                                   const TemplateValues& values = {});

}  // namespace opsight::importer::timeloop
