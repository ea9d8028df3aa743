// A list whose nodes lie on a page each, because a larger block is allocated behind each of them; and the larger blocks.
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

struct node {
    node* next;
    long value[7];
};

__attribute__((noinline)) node* append(node* last) {
    return new node{last, {}};
}

__attribute__((noinline)) char* fill() {
    return new char[4016];
}

} // namespace

int main(int, char** words) {
    const int count = std::atoi(words[1]);
    std::vector<char*> large;
    large.reserve(static_cast<std::size_t>(count));
    node* list = nullptr;
    for (int at = 0; at < count; ++at) {
        list = append(list);
        large.push_back(fill());
    }
    for (char* block : large) {
        delete[] block;
    }
    while (list != nullptr) {
        node* next = list->next;
        delete list;
        list = next;
    }
    std::puts("done");
}
