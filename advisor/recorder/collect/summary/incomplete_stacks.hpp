/// The ends of incomplete stacks.
#pragma once

#include "trace/reader.hpp"

#include <cstdint>
#include <string>

namespace mallard::collect {

struct incomplete_stacks {
    trace::stack_end end = trace::stack_end::unknown_code; ///< the most frequent end
    std::uint64_t events = 0;                              ///< with this end
    std::string file;                                      ///< the file in which most of these end

    /// Returns: the most frequent end of all processes of the trace. Reads all its events.
    static incomplete_stacks most_frequent(trace::reader& from);
};

} // namespace mallard::collect
