#include "runner/harness/checksum.hpp"
#include "runner/harness/escape.hpp"
#include "runner/harness/quick_random.hpp"
#include "runner/harness/static_buffer.hpp"
#include "runner/strategy/container_allocator.hpp"
#include "runner/strategy/null_blocks.hpp"
#include "runner/strategy/recording_source.hpp"
#include "runner/strategy/sources.hpp"
#include "runner/workload/fixed_block/remove_ctrl.hpp"
#include "runner/workload/fixed_block/works.hpp"

#include <mallard/bind/fixed_block_allocator.hpp>
#include <mallard/bind/pool_tag.hpp>
#include <mallard/core/failure.hpp>
#include <mallard/local/fixed_pool.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace bench {

namespace {

/// The input: 222 characters, one in 16 of which is a control character.
constexpr std::size_t text_length = 222;
constexpr std::uint64_t one_control_in = 16;
/// The largest request of strings that grow by doubling.
constexpr std::size_t string_block_bytes = 512;
/// The memory of null, for all strings of a call.
constexpr std::size_t null_bytes = std::size_t{16} << 10;

std::string draw_text(std::uint64_t seed) {
    quick_random draw(seed);
    std::string text(text_length, ' ');
    for (char& c : text) {
        const bool control = draw.below(one_control_in) == 0;
        c = static_cast<char>(control ? draw.below(' ') : ' ' + draw.below('~' - ' '));
    }
    return text;
}

/// The pool of fixed_string: of one size, for a thread.
struct string_blocks : mallard::per_thread<string_blocks, mallard::fixed_pool<>> {};

/// The chapter's use of a pool of one size: an allocator for strings that ignores the size of a request.
template <class Source>
class string_blocks_from {
public:
    explicit string_blocks_from(Source& source) noexcept : source_(&source) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t) {
        if (bytes > string_block_bytes) [[unlikely]] {
            mallard::core::fail_allocation(bytes, alignof(char));
        }
        return source_->allocate(string_block_bytes, mallard::fundamental_alignment);
    }

    void deallocate(void* p, std::size_t, std::size_t) noexcept {
        source_->deallocate(p, string_block_bytes, mallard::fundamental_alignment);
    }

private:
    Source* source_;
};

template <class Source>
using string_over = std::basic_string<char, std::char_traits<char>, allocator_over<char, Source>>;

template <class String>
remove_ctrl_input<String> make_input(const std::string& text,
                                     const typename String::allocator_type& allocator) {
    return {text, String(text.data(), text.size(), allocator), allocator};
}

/// Effects: `count` times removes the control characters of the input.
template <class Version, class String>
[[gnu::noinline]] void remove_often(const remove_ctrl_input<String>& input, String& result,
                                    std::size_t count) {
    for (std::size_t i = 0; i != count; ++i) {
        Version::call(input, result);
        escape(result.data());
    }
}

template <class String>
using remove_function = void (*)(const remove_ctrl_input<String>&, String&, std::size_t);

/// Returns: the function that runs the version `name`.
template <class String>
remove_function<String> find_version(std::string_view name) {
    return std::apply(
        [&](auto... version) {
            remove_function<String> function = nullptr; // parse() has refused other names
            ((name == version.name ? void(function = remove_often<decltype(version), String>) : void()), ...);
            return function;
        },
        remove_ctrl_versions_list());
}

std::string contents_checksum(std::string_view text) {
    checksum sum;
    for (const char c : text) {
        sum.add(static_cast<unsigned char>(c));
    }
    return to_hexadecimal(sum.value());
}

class remove_ctrl_run {
public:
    remove_ctrl_run(const fixed_block_cell& cell, row& result)
        : cell_(cell), result_(result), text_(draw_text(cell.seed)) {}

    /// Effects: measures with strings that take their memory from `source`.
    template <class Source>
    void measure_over(Source& source) const {
        using string = string_over<Source>;
        measure<string>(make_allocator<typename string::allocator_type>(source), [&] {
            if constexpr (requires { source.keep(); }) {
                source.keep();
            }
        });
    }

    /// Effects: measures with strings of this type. Calls `prepared` once the input exists.
    template <class String, class Prepared>
    void measure(const typename String::allocator_type& allocator, Prepared&& prepared) const {
        const auto input = make_input<String>(text_, allocator);
        const auto remove = find_version<String>(cell_.version);
        String result(allocator);
        remove(input, result, 1);
        prepared();
        time_hot(cell_.count, result_, [&](std::size_t count) { remove(input, result, count); });
        result_.checksum = contents_checksum(result);
        result_.add_figure("string_bytes", static_cast<double>(text_.size()));
        result_.add_figure("kept_bytes", static_cast<double>(result.size()));
    }

    /// Effects: records the number of requests of one call, including those for the result.
    void count_requests() const {
        recording_source requests;
        using string = string_over<recording_source>;
        const auto input = make_input<string>(text_, requests);
        const auto setup = std::pair(requests.allocations, requests.deallocations);
        string result(input.allocator);
        find_version<string>(cell_.version)(input, result, 1);
        result_.allocations = requests.allocations - setup.first;
        result_.deallocations = requests.deallocations - setup.second;
    }

private:
    const fixed_block_cell& cell_;
    row& result_;
    std::string text_;
};

void measure_null(const remove_ctrl_run& run) {
    const static_buffer memory(buffer_state::warm, null_bytes, null_bytes);
    null_circle null(memory.span());
    run.measure_over(null);
}

/// Sources of one size of block get the block size of a string; all others get each string's own request.
void measure_from_source(const strategy& s, const remove_ctrl_run& run) {
    constexpr constant_shape<string_block_bytes, mallard::fundamental_alignment> shape;
    with_source(s, {}, shape, [&]<class Source>(Source& source) {
        if constexpr (of_one_size<Source>) {
            string_blocks_from blocks(source);
            run.measure_over(blocks);
        } else {
            run.measure_over(source);
        }
    });
}

} // namespace

bool has_strings(const strategy& s) noexcept {
    return s.mechanism == mechanism_kind::null || s.mechanism == mechanism_kind::fixed_string ||
           (recycles(s) && find_row(s.mechanism).largest_block >= string_block_bytes);
}

std::vector<std::string> remove_ctrl_versions() {
    return std::apply([](auto... version) { return std::vector<std::string>{decltype(version)::name...}; },
                      remove_ctrl_versions_list());
}

void measure_remove_ctrl(const fixed_block_cell& cell, row& result) {
    const remove_ctrl_run run(cell, result);
    if (cell.subject.mechanism == mechanism_kind::null) {
        measure_null(run);
    } else if (cell.subject.mechanism == mechanism_kind::fixed_string) {
        run.measure<mallard::fixed_string<string_block_bytes, string_blocks>>({}, [] {});
    } else {
        measure_from_source(cell.subject, run);
    }
    if (cell.look) {
        run.count_requests();
    }
}

} // namespace bench
