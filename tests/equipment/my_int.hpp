/// The element of Gaztañaga's measurements: an int with copy functions of its own.
#pragma once

namespace equipment {

class my_int {
public:
    explicit my_int(int value = 0) noexcept : value_(value) { ++living; }
    my_int(const my_int& other) noexcept : value_(other.value_) { ++living; }
    my_int& operator=(const my_int& other) noexcept = default;
    ~my_int() { --living; }

    [[nodiscard]] int value() const noexcept { return value_; }
    friend bool operator==(const my_int&, const my_int&) = default;
    friend auto operator<=>(const my_int&, const my_int&) = default;

    /// The number of live objects.
    static inline int living = 0;

private:
    int value_;
};

} // namespace equipment
