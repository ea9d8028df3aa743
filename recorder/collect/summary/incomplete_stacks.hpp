/// Where stacks end that have no end.
#pragma once

#include "trace/reader.hpp"

#include <cstdint>
#include <string>

namespace mallard::collect {

struct incomplete_stacks {
    trace::stack_end end = trace::stack_end::unknown_code; ///< the most frequent one
    std::uint64_t events = 0;                              ///< that end so
    std::string file;                                      ///< in which most of them end

    /// Returns: the most frequent end of all processes of the trace. Reads all its events.
    static incomplete_stacks most_frequent(trace::reader& from);
};

} // namespace mallard::collect
