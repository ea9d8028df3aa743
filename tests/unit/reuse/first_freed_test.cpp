#include "equipment/order_of_blocks.hpp"

#include <mallard/reuse/first_freed.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <set>
#include <vector>

namespace {

using first_freed = equipment::order_of_blocks<mallard::first_freed>;

TEST_F(first_freed, reuses_in_fifo_order) {
    for (const int block : {3, 1, 2, 0, 7, 5, 4}) {
        free(block);
    }
    for (const int expected : {2, 0, 7, 5, 4, 1, 3, none}) {
        EXPECT_EQ(next(), expected);
    }
}

/// The order in plain words.
class model_of_order {
public:
    explicit model_of_order(std::size_t block_bytes) : is_queue_(block_bytes >= 24 || block_bytes == 16) {}

    void push(void* p) {
        if (is_queue_ && kept_.size() < 2 && queue_.empty()) {
            kept_.push_back(p);
        } else {
            queue_.push_back(p);
        }
    }

    void* pop() {
        void* p = nullptr;
        if (!queue_.empty() && is_queue_) {
            p = queue_.front();
            queue_.pop_front();
        } else if (std::deque<void*>& from = is_queue_ ? kept_ : queue_; !from.empty()) {
            p = from.back();
            from.pop_back();
        }
        return p;
    }

private:
    bool is_queue_;
    std::deque<void*> kept_; ///< the head and the first page
    std::deque<void*> queue_;
};

/// Blocks of one size, one behind another, with words that show whether a free block was touched.
class block_set {
public:
    static constexpr std::size_t count = 300;

    explicit block_set(std::size_t bytes)
        : bytes_(bytes),
          memory_(static_cast<std::byte*>(::operator new(bytes* count, std::align_val_t{64}))) {
        for (std::size_t i = 0; i < count; ++i) {
            used.push_back(memory_ + i * bytes);
        }
    }
    ~block_set() {
        mallard::core::unpoison(memory_, bytes_ * count);
        ::operator delete(memory_, std::align_val_t{64});
    }
    block_set(const block_set&) = delete;
    block_set& operator=(const block_set&) = delete;

    void mark(void* p) const { std::memset(p, 0xab, bytes_); }

    /// Returns: the number of blocks that hold another word than that of mark(). Unpoisons all.
    [[nodiscard]] std::size_t touched() const {
        mallard::core::unpoison(memory_, bytes_ * count);
        std::size_t sum = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::byte* const block = memory_ + i * bytes_;
            sum += static_cast<std::size_t>(
                !std::all_of(block, block + bytes_, [](std::byte b) { return b == std::byte{0xab}; }));
        }
        return sum;
    }

    std::vector<void*> used;

private:
    std::size_t bytes_;
    std::byte* memory_;
};

class first_freed_of_size : public ::testing::TestWithParam<std::size_t> {};

TEST_P(first_freed_of_size, matches_model_for_mixed_calls) {
    const std::size_t bytes = GetParam();
    block_set blocks(bytes);
    mallard::first_freed::of_one_size order(bytes, bytes % 16 == 0 ? 16 : 4);
    model_of_order model(bytes);
    std::mt19937 random(1);
    for (int step = 0; step < 20'000; ++step) {
        // Half of the time blocks are rather freed, half of the time rather taken.
        const bool frees = random() % 8 < (step / 1000 % 2 == 0 ? 5U : 3U);
        if (frees && !blocks.used.empty()) {
            std::swap(blocks.used[random() % blocks.used.size()], blocks.used.back());
            void* const p = blocks.used.back();
            blocks.used.pop_back();
            blocks.mark(p);
            order.push(p);
            model.push(p);
        } else {
            void* const p = order.pop();
            ASSERT_EQ(p, model.pop()) << "step " << step;
            if (p != nullptr) {
                mallard::core::unpoison(p, bytes);
                blocks.mark(p);
                blocks.used.push_back(p);
            }
        }
        ASSERT_EQ(order.empty(), blocks.used.size() == block_set::count);
    }
}

TEST_P(first_freed_of_size, touches_one_free_block_per_page) {
    const std::size_t bytes = GetParam();
    block_set blocks(bytes);
    mallard::first_freed::of_one_size order(bytes, bytes % 16 == 0 ? 16 : 4);
    for (void* p : blocks.used) {
        blocks.mark(p);
    }
    for (void* p : blocks.used) {
        order.push(p);
    }
    const std::size_t on_page = bytes >= 24 || bytes == 16 ? std::min<std::size_t>(bytes, 512) / 8 - 1 : 0;
    const std::size_t group = on_page + 1;
    const std::size_t rest_count = block_set::count - 1;
    // A page that lists nothing yet is not touched.
    const std::size_t pages = rest_count / group + static_cast<std::size_t>(rest_count % group > 1);
    EXPECT_EQ(blocks.touched(), on_page != 0 ? 1 + pages : rest_count);
}

TEST_P(first_freed_of_size, forgets_all_blocks_when_cleared) {
    block_set blocks(GetParam());
    mallard::first_freed::of_one_size order(GetParam());
    for (std::size_t i = 0; i < 10; ++i) {
        order.push(blocks.used[i]);
    }
    order.clear();
    EXPECT_EQ(order.pop(), nullptr);
    order.push(blocks.used[3]);
    EXPECT_EQ(order.pop(), blocks.used[3]);
    EXPECT_EQ(order.pop(), nullptr);
}

INSTANTIATE_TEST_SUITE_P(sizes, first_freed_of_size,
                         ::testing::Values(8, 12, 16, 20, 24, 28, 32, 36, 40, 64, 100, 512, 4096));

/// Returns: the cache lines of a queue of 4,096 elements of 32 bytes that 64 successive elements lie in, on average,
/// after `rounds` times as many steps. 32 at the least, 64 if they are scattered.
double lines_of_a_queue(int rounds) {
    constexpr std::size_t block_bytes = 32;
    constexpr int elements = 4096;
    constexpr int spare = 500;
    constexpr std::size_t window = 64;
    const std::unique_ptr<std::byte[]> memory(new std::byte[block_bytes * (elements + spare + 1)]);
    mallard::first_freed::of_one_size order(block_bytes);
    for (std::size_t i = 0; i != elements + spare; ++i) {
        order.push(memory.get() + i * block_bytes);
    }
    std::deque<void*> queue;
    for (int i = 0; i != elements; ++i) {
        queue.push_back(order.pop());
    }
    for (int i = 0; i != rounds * elements; ++i) {
        order.push(queue.front());
        queue.pop_front();
        queue.push_back(order.pop());
    }
    std::size_t lines = 0;
    for (std::size_t first = 0; first != elements; first += window) {
        std::set<std::uintptr_t> of_window;
        for (std::size_t i = first; i != first + window; ++i) {
            of_window.insert(reinterpret_cast<std::uintptr_t>(queue[i]) / 64);
        }
        lines += of_window.size();
    }
    mallard::core::unpoison(memory.get(), block_bytes * (elements + spare + 1));
    return static_cast<double>(lines) / (elements / window);
}

TEST(first_freed_queue, keeps_neighbours_in_the_cache_lines_of_neighbours) {
    for (const int rounds : {1, 30, 100}) {
        EXPECT_LE(lines_of_a_queue(rounds), 34) << rounds;
    }
}

TEST(first_freed_of_8_bytes, gives_the_last_freed_block_first) {
    alignas(16) std::byte blocks[4][8];
    mallard::first_freed::by_class<mallard::eighth_classes> order;
    order.serve(0, 1, nullptr);
    EXPECT_TRUE(order.push(blocks[0], 0));
    EXPECT_TRUE(order.push(blocks[1], 0));
    EXPECT_TRUE(order.push(blocks[2], 0));
    for (const int expected : {2, 1, 0}) {
        EXPECT_EQ(order.pop(0), blocks[expected]);
    }
    EXPECT_EQ(order.pop(0), nullptr);
    mallard::core::unpoison(blocks, sizeof blocks);
}

} // namespace
