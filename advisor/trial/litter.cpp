#include "trial/litter.hpp"

#include "recorder/interpose/next_allocator.hpp"

#include <sys/mman.h>

#include <cstddef>
#include <utility>

namespace mallard::trial {

namespace {

class random_numbers {
public:
    std::uint32_t below(std::uint32_t limit) noexcept {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::uint32_t>((state_ >> 33) * limit >> 31);
    }

private:
    std::uint64_t state_ = 1;
};

} // namespace

void litter_heap(std::uint32_t blocks) noexcept {
    const std::size_t bytes = std::size_t{blocks} * sizeof(void*);
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return;
    }
    auto** const pointers = static_cast<void**>(memory);
    random_numbers random;
    for (std::uint32_t index = 0; index < blocks; ++index) {
        pointers[index] = recorder::next().malloc(16 + random.below(497));
    }
    for (std::uint32_t count = blocks; count > 1; --count) {
        std::swap(pointers[count - 1], pointers[random.below(count)]);
    }
    for (std::uint32_t index = 0; index < blocks / 4 * 3; ++index) {
        recorder::next().free(pointers[index]);
    }
    ::munmap(memory, bytes);
}

} // namespace mallard::trial
