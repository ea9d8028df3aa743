// A library that computes for ever.
void spin(void) {
    for (volatile unsigned turn = 0;; ++turn) {
    }
}
