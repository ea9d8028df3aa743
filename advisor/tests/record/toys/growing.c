/* growing COUNT: an array of C that grows by realloc, by an eighth at a time, or doubles with -DDOUBLES. */

#include <stdio.h>
#include <stdlib.h>

struct array {
    int* items;
    size_t count, capacity;
};

__attribute__((noinline)) static void push(struct array* to, int item) {
    if (to->count == to->capacity) {
#ifdef DOUBLES
        to->capacity += to->capacity == 0 ? 4 : to->capacity;
#else
        to->capacity += 1 + to->capacity / 8;
#endif
        to->items = realloc(to->items, to->capacity * sizeof *to->items); /* line: growth */
    }
    to->items[to->count++] = item;
}

__attribute__((noinline)) static long sum_of_line(int length) {
    struct array items = {0};
    long sum = 0;
    for (int item = 0; item < length; ++item) {
        push(&items, item);
    }
    for (size_t at = 0; at < items.count; ++at) {
        sum += items.items[at];
    }
    free(items.items);
    return sum;
}

int main(int words, char** arguments) {
    const int count = words > 1 ? atoi(arguments[1]) : 0;
    long sum = 0;
    for (int number = 0; number < count; ++number) {
        sum += sum_of_line(20 + number % 400);
    }
    printf("%ld\n", sum);
    return 0;
}
