/// The strategies as one table: allocator x binding x destruction (P0089R1, table 1), the floor, and the
/// global allocator with its page return switched off. A new strategy is a row here and a case in
/// strategy/mechanisms.hpp.
#pragma once

#include <span>
#include <string_view>

namespace bench {

enum class mechanism_kind {
    null,
    global,
    global_kept,
    new_delete,
    monotonic,
    multipool,
    multipool_over_monotonic
};
enum class binding_kind { type_parameter, abstract_base };
enum class destruction_kind { normal, winked_out };

struct strategy {
    std::string_view name;
    mechanism_kind mechanism;
    binding_kind binding;
    destruction_kind destruction;

    [[nodiscard]] bool uses_buffer() const noexcept {
        return mechanism == mechanism_kind::monotonic ||
               mechanism == mechanism_kind::multipool_over_monotonic;
    }
};

[[nodiscard]] std::span<const strategy> strategies() noexcept;

[[nodiscard]] std::string_view to_text(mechanism_kind kind) noexcept;
[[nodiscard]] std::string_view to_text(binding_kind kind) noexcept;
[[nodiscard]] std::string_view to_text(destruction_kind kind) noexcept;

} // namespace bench
