// Where what lies in a store that is a folder. Names are made of ids and numbers that were checked, never of
// text that a store holds.
//
//   opsight-store.json                       says that the folder is a store, and of which version
//   TABLE/run=RUN/PUSH.parquet               rows of a run
//   TABLE/run=RUN/rank=RANK/PUSH.parquet     rows of a rank of it, of the tables by rank
//   _runs/RUN.json                           its manifest: which push is in force, and its files with their
//   sizes _locks/RUN                               held while a push of the run takes its place
//   _staging/PUSH.N/                         files of a push that nobody sees yet; `lock` in it is held by
//   its process
//
// Hive's names of partitions, so that other engines read the folders of tables as they are; they leave out
// what begins with an underscore.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fleet/store/store.h"

namespace opsight::fleet::parquet {

inline constexpr std::string_view kMark = "opsight-store.json";
inline constexpr int kStoreVersion = 1;

// All below `root`, which ends with a slash.
std::string runs_folder(const std::string& root);
std::string manifest_path(const std::string& root, const std::string& run);
std::string lock_path(const std::string& root, const std::string& run);
std::string staging_folder(const std::string& root);
// Where the file of a part lies once its push is in force; its folder.
std::string part_folder(const std::string& root, const std::string& run, const Part& part);
std::string part_path(const std::string& root, const PushId& id, const Part& part);
// Within the folder of a push that nobody sees yet.
std::string staged_path(const std::string& folder, const Part& part);

}  // namespace opsight::fleet::parquet
