/// Texts and numbers without the heap, because the recorder runs inside of malloc.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mallard::recorder {

template <std::size_t Bytes>
class fixed_text {
public:
    fixed_text& add(const char* text) noexcept {
        for (; *text != 0; ++text) {
            add(*text);
        }
        return *this;
    }

    fixed_text& add(char letter) noexcept {
        if (length_ + 1 < Bytes) {
            text_[length_++] = letter;
        } else {
            complete_ = false;
        }
        text_[length_] = 0;
        return *this;
    }

    fixed_text& add(std::uint64_t number) noexcept {
        if (number >= 10) {
            add(number / 10);
        }
        return add(static_cast<char>('0' + number % 10));
    }

    fixed_text& clear() noexcept {
        text_[0] = 0;
        length_ = 0;
        complete_ = true;
        return *this;
    }

    [[nodiscard]] const char* text() const noexcept { return text_; }
    [[nodiscard]] std::size_t length() const noexcept { return length_; }
    /// False if the text was truncated.
    [[nodiscard]] bool complete() const noexcept { return complete_; }

private:
    char text_[Bytes] = {};
    std::size_t length_ = 0;
    bool complete_ = true;
};

using path_text = fixed_text<4096>;

} // namespace mallard::recorder
