/// The size of the pages that this process gets: a condition of every experiment, equal for all strategies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bench {

enum class page_size {
    small, ///< no huge page, even on request
    huge,  ///< huge pages: every allocator asks for them that can
    usual, ///< no change: some allocators ask for huge pages, others do not
};

inline constexpr std::string_view page_size_names[] = {"small", "huge", "usual"};

/// Effects: makes the system and the mallocs give pages of this size, from now on, and adds a note if they
/// cannot. A malloc reads its environment only when a process starts. For huge pages, this program executes itself
/// again, with its arguments and the environment in which mallocs ask for huge pages.
void use_pages(page_size pages, std::vector<std::string>& notes);

/// Returns: the size that use_pages() was last called with; before, page_size::usual.
[[nodiscard]] page_size pages_in_use() noexcept;

} // namespace bench
