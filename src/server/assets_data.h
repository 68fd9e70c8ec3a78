// What the build makes from web/dist (scripts/embed_web.py); an empty list where there is no page.
#pragma once

#include <vector>

#include "server/assets.h"

namespace opsight::server {

const std::vector<Asset>& asset_list();

}  // namespace opsight::server
