/// The size of the pages that this process gets: a condition of every experiment, equal for all strategies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bench {

enum class page_size {
    small,     ///< no huge page, even on request
    huge,      ///< huge pages for every allocator that can request them
    unchanged, ///< no change: some allocators request huge pages, others do not
};

inline constexpr std::string_view page_size_names[] = {"small", "huge", "usual"};

/// Effects: makes the system and the mallocs use pages of this size from now on, or adds a note if they cannot. A
/// malloc reads its environment only when a process starts. For huge pages, this program executes itself again, with
/// its arguments and an environment in which mallocs request huge pages.
void use_pages(page_size pages, std::vector<std::string>& notes);

/// Returns: the argument of the last use_pages(); initially page_size::unchanged.
[[nodiscard]] page_size pages_in_use() noexcept;

} // namespace bench
