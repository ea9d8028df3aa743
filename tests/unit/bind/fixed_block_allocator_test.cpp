#include <mallard/adapt/counted.hpp>
#include <mallard/bind/fixed_block_allocator.hpp>
#include <mallard/local/multipool.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#ifdef __cpp_exceptions
#include <stdexcept>
#endif

namespace {

/// Records the requested sizes and alignments.
class recorder {
public:
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        requests_.emplace(bytes, alignment);
        return mechanism_.allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
        requests_.emplace(bytes, alignment);
        mechanism_.deallocate(p, bytes, alignment);
    }
    [[nodiscard]] mallard::allocation_counts counts() const { return mechanism_.counts(); }
    [[nodiscard]] const std::set<std::pair<std::size_t, std::size_t>>& requests() const { return requests_; }

private:
    std::set<std::pair<std::size_t, std::size_t>> requests_;
    mallard::counted<mallard::multipool<>> mechanism_;
};

struct lines : mallard::per_thread<lines, recorder> {};

constexpr std::size_t most = 255;
using line = mallard::fixed_string<most + 1, lines>;
using line_allocator = line::allocator_type;

TEST(fixed_block_allocator, takes_no_room_and_is_always_equal) {
    EXPECT_TRUE(std::is_empty_v<line_allocator>);
    EXPECT_EQ(sizeof(line), sizeof(std::string));
    EXPECT_TRUE(std::allocator_traits<line_allocator>::is_always_equal::value);
    using of_int = std::allocator_traits<line_allocator>::rebind_alloc<int>;
    EXPECT_TRUE((std::is_same_v<of_int, mallard::fixed_block_allocator<int, most + 1, lines>>));
    EXPECT_TRUE(line_allocator() == of_int());
    EXPECT_EQ(&of_int::mechanism(), &lines::pool());
}

TEST(fixed_block_allocator, asks_the_pool_for_one_size_only) {
    for (std::size_t length = 0; length <= most; ++length) {
        const line s(length, 'x');
        line grown;
        for (std::size_t i = 0; i != length; ++i) {
            grown += 'x';
        }
        EXPECT_EQ(grown, s);
    }
    EXPECT_EQ(lines::pool().requests().size(), 1U);
    EXPECT_GE(lines::pool().requests().begin()->first, most + 1);
    EXPECT_EQ(lines::pool().counts().bytes_in_use, 0U);
}

TEST(fixed_block_allocator, string_fills_one_block) {
    EXPECT_EQ(line_allocator::max_length(), most);
    line s;
    while (s.size() != most) {
        s.push_back('x');
    }
    s.assign(most, 'y');
    EXPECT_EQ(s.size(), most);
    s.shrink_to_fit();
    EXPECT_EQ(line(s) + line(), s);
}

/// The growth of a string in common standard libraries.
line without_control_characters(std::string_view s) {
    line result;
    for (const char c : s) {
        if (c >= 0x20) {
            result = result + c;
        }
    }
    return result;
}

TEST(fixed_block_allocator, serves_strings_that_are_built_by_adding) {
    const std::string text = std::string(most, 'a') + '\n' + '\t';
    EXPECT_EQ(without_control_characters(text), std::string_view(text).substr(0, most));
}

#ifdef __cpp_exceptions

TEST(fixed_block_allocator, makes_a_string_refuse_to_grow_beyond) {
    line s(most, 'x');
#ifdef _LIBCPP_VERSION
    const std::size_t too_many = most + 2; // in addition, because blocks are twice as large there
#else
    const std::size_t too_many = 1;
    EXPECT_EQ(s.max_size(), most);
    EXPECT_THROW(s += 'y', std::length_error);
    EXPECT_THROW(s.push_back('y'), std::length_error);
#endif
    EXPECT_THROW(s.append(too_many, 'y'), std::length_error);
    EXPECT_THROW(s.reserve(most + too_many), std::length_error);
    EXPECT_THROW(line(most + too_many, 'y'), std::length_error);
    EXPECT_EQ(std::string_view(s), std::string(most, 'x')) << "it is as it was";
}

TEST(fixed_block_allocator, error_names_request_and_block_size) {
    line_allocator a;
    a.deallocate(a.allocate(1), 1);
    std::string message;
    try {
        static_cast<void>(a.allocate(1000));
    } catch (const std::length_error& e) {
        message = e.what();
    }
    const std::string holds = std::to_string(lines::pool().requests().begin()->first);
    EXPECT_EQ(message,
              "mallard: a fixed block holds " + holds +
                  " objects, and 1000 were requested: use larger blocks, or reserve the full size at "
                  "once");
}

TEST(fixed_block_allocator, serves_vectors_that_reserve) {
    std::vector<char, line_allocator> v;
    v.reserve(most + 1);
    v.resize(most + 1);
    EXPECT_THROW(v.resize(10'000), std::length_error);
    EXPECT_EQ(v.size(), most + 1);
}

#else

TEST(fixed_block_allocator, error_names_request_and_block_size) {
    line_allocator a;
    EXPECT_DEATH(static_cast<void>(a.allocate(1000)), "objects, and 1000 were requested: use larger blocks");
}

#endif

TEST(fixed_block_allocator, serves_wider_characters) {
    using wide = std::basic_string<char32_t, std::char_traits<char32_t>,
                                   mallard::fixed_block_allocator<char32_t, 256>>;
    EXPECT_EQ(wide::allocator_type::max_length(), 63U);
    wide s;
    for (std::size_t i = 0; i != 63; ++i) {
        s += U'x';
    }
    EXPECT_EQ(s, wide(63, U'x'));
}

} // namespace
