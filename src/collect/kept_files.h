// Files that the observer keeps open in the program: moved to high numbers, since a program that closes all
// its files gets low ones anew, and closed in a forked child, for which they tell of its parent.
#pragma once

namespace opsight::collect {

// Gives a file a high number and remembers it; -EMFILE where there is no room. `file` itself is closed.
int keep_file(int file);
// Closes one that is kept.
void close_kept(int file);
// Closes all that this process inherited from its parent.
void close_inherited_files();

}  // namespace opsight::collect
