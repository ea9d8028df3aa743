/// The base of the adaptors that stand in front of two mechanisms: their lifetime, and the members that concern both.
///
///     caller  ->  segregate, fallback: which?  ->  first() or second()
///
/// All other members are called by first() or second(): those that only one mechanism has, expansion, rewind() and
/// marks, settle(), walks over the blocks, questions for sizes, and sanity checks.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/stats.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace mallard::adapt { inline namespace MALLARD_MODE {

/// The mechanisms are held by value, or by reference for `A&`.
template <class First, class Second>
    requires upstream<std::remove_reference_t<First>> && upstream<std::remove_reference_t<Second>>
class two_mechanisms {
public:
    using first_type = std::remove_reference_t<First>;
    using second_type = std::remove_reference_t<Second>;

    two_mechanisms()
        requires std::is_default_constructible_v<First> && std::is_default_constructible_v<Second>
    = default;

    /// Effects: makes each mechanism of one argument: its upstream, its options, or the mechanism to refer to.
    template <class OfFirst, class OfSecond>
        requires std::is_constructible_v<First, OfFirst> && std::is_constructible_v<Second, OfSecond>
    two_mechanisms(OfFirst&& of_first, OfSecond&& of_second)
        : first_(std::forward<OfFirst>(of_first)), second_(std::forward<OfSecond>(of_second)) {}

    /// Effects: makes each mechanism of the arguments in its tuple, as std::pair does.
    template <class... OfFirst, class... OfSecond>
        requires std::is_constructible_v<First, OfFirst...> && std::is_constructible_v<Second, OfSecond...>
    two_mechanisms(std::piecewise_construct_t, std::tuple<OfFirst...> of_first,
                   std::tuple<OfSecond...> of_second)
        : first_(std::make_from_tuple<First>(std::move(of_first))),
          second_(std::make_from_tuple<Second>(std::move(of_second))) {}

    two_mechanisms(const two_mechanisms&) = delete;
    two_mechanisms& operator=(const two_mechanisms&) = delete;

    [[nodiscard]] first_type& first() noexcept { return first_; }
    [[nodiscard]] const first_type& first() const noexcept { return first_; }
    [[nodiscard]] second_type& second() noexcept { return second_; }
    [[nodiscard]] const second_type& second() const noexcept { return second_; }

    /// Effects: releases both. If one stands on the other, the second stands on the first or elsewhere.
    void release() noexcept
        requires local_allocator<first_type> && local_allocator<second_type>
    {
        second_.release();
        first_.release();
    }

    /// Effects: gives the empty memory of both back.
    void trim() noexcept
        requires requires(first_type& a, second_type& b) {
            a.trim();
            b.trim();
        }
    {
        first_.trim();
        second_.trim();
    }

    /// Effects: tidies both.
    void tidy() noexcept
        requires requires(first_type& a, second_type& b) {
            a.tidy();
            b.tidy();
        }
    {
        first_.tidy();
        second_.tidy();
    }

    [[nodiscard]] bool owns(const void* p) const noexcept
        requires requires(const first_type& a, const second_type& b) {
            a.owns(p);
            b.owns(p);
        }
    {
        return first_.owns(p) || second_.owns(p);
    }

    /// Returns: the sums of both.
    [[nodiscard]] allocator_stats stats() const noexcept
        requires requires(const first_type& a, const second_type& b) {
            allocator_stats(a.stats());
            allocator_stats(b.stats());
        }
    {
        return first_.stats() + second_.stats();
    }

protected:
    ~two_mechanisms() = default;

    First first_;
    Second second_;
};

}} // namespace mallard::adapt::MALLARD_MODE
