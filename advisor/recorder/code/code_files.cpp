#include "recorder/code/code_files.hpp"

namespace mallard::recorder {

bool code_files::is_new(const unwind::code_object& file) noexcept {
    const unsigned count = next_.load(std::memory_order_acquire);
    for (unsigned index = 0; index < count && index < most; ++index) {
        if (begins_[index].load(std::memory_order_relaxed) == file.begin) {
            return false;
        }
    }
    begins_[next_.fetch_add(1, std::memory_order_acq_rel) % most].store(file.begin,
                                                                        std::memory_order_relaxed);
    return true;
}

void code_files::forget() noexcept {
    for (auto& begin : begins_) {
        begin.store(0, std::memory_order_relaxed);
    }
    next_.store(0, std::memory_order_release);
}

} // namespace mallard::recorder
