// For tests: a network of four nodes, added to a profile. It is built in a file of its own, since `Shape` is
// the form of a table here and of a tensor there.
#pragma once

#include <cstddef>
#include <string>

namespace opsight {

struct AddedSmallModel {
    std::string error;  // empty: it was added
    size_t nodes = 0, matched = 0;
    double macs = 0, matched_macs = 0;
};

AddedSmallModel add_small_model(const std::string& path);

}  // namespace opsight
