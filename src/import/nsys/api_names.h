// Names of API calls. Sources spell many of them with the version of the call ("cudaLaunchKernel_v7000"),
// which is no part of the name; reports in the style of DLProf have it.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "model/profile_builder.h"

namespace opsight::importer::nsys {

class ApiNames {
  public:
    // "cudaLaunchKernel_v7000" -> "cudaLaunchKernel".
    std::string_view without_version(std::string_view name);
    // Leaves a note of the spellings that were met.
    void keep(ProfileBuilder& builder) const;

  private:
    std::set<std::string, std::less<>> spelled_;
};

bool is_driver_call(std::string_view name);

}  // namespace opsight::importer::nsys
