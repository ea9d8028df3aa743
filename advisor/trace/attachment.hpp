/// What `mallard record --pid` stores in the memory of the process that it attaches to.
///
///     | attachment | ... | stack of the borrowed thread |     | code of both threads |     two mappings, written by the collector
///
/// Data model: the collector fills the struct before the process sees it, and reads `state` later. The code of the new thread
/// (collector/attach/injection.cpp) uses the addresses. `mallard_record_attach` uses the settings, and sets `state`.
/// Owner: the collector until it sets `is_released`, then the new thread, which unmaps both mappings.
#pragma once

#include "trace/part.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace mallard::trace {

enum class attachment_state : std::uint32_t {
    starting,
    recording,
    ended,         ///< all slots have their functions back, and the part is not mapped any more
    no_library,    ///< dlopen failed; `error_text` is the address of its message
    is_preloaded,  ///< the process was started by `mallard record`
    is_busy,       ///< another recording has not ended
    no_part,       ///< no part could be created
    old_kernel,    ///< without MADV_POPULATE_WRITE
    was_cancelled, ///< the collector did not wait for the thread
};

inline constexpr std::size_t attachment_data_bytes = std::size_t{128} << 10;
inline constexpr std::size_t attachment_code_bytes = 4096;

struct attachment {
    attachment_state state = attachment_state::starting; ///< accessed as an atomic
    std::uint32_t cancelled = 0;                         ///< set by the collector; accessed as an atomic
    std::uint32_t is_released =
        0; ///< set by the collector, after the borrowed thread has returned; accessed as an atomic
    std::int32_t create_error = 0; ///< of pthread_create
    std::uint32_t is_created = 0;  ///< set by the borrowed thread, when pthread_create has returned
    std::uint32_t collector = 0;   ///< process ID
    std::uint32_t sampled_one_in = 1;
    stack_source stacks = stack_source::descriptions;
    std::array<std::uint8_t, 3> unused{};

    // Addresses in the process.
    std::uint64_t thread = 0; ///< pthread_t
    std::uint64_t pthread_create = 0;
    std::uint64_t dlopen = 0;
    std::uint64_t dlsym = 0;
    std::uint64_t dlerror = 0;
    std::uint64_t error_text = 0;
    std::uint64_t code = 0;  ///< the second mapping
    std::uint64_t start = 0; ///< the code of the new thread

    std::array<char, 32> entry{"mallard_record_attach"};
    std::array<char, 2048> library{};
    std::array<char, 2048> folder{};
};

} // namespace mallard::trace
