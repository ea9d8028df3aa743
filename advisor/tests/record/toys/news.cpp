// news N: calls operator new and operator delete N times each.
#include <cstdlib>

int main(int, char** words) {
    for (long remaining = std::atol(words[1]); remaining > 0; --remaining) {
        int* volatile block = new int(1);
        delete block;
    }
}
