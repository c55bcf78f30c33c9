/* Samples as a block: entry e of sample i is x[e * n + i] in the batch and b[e * width + i] in the block, which is
 * filled up with the first sample. */
static void to_block_(size_t entries, size_t n, const double *x, size_t count, size_t width, double *b)
{
    for (size_t e = 0; e < entries; ++e) {
        for (size_t i = 0; i < width; ++i) b[e * width + i] = x[e * n + (i < count ? i : 0)];
    }
}

static void from_block_(size_t entries, size_t n, double *x, size_t count, size_t width, const double *b)
{
    for (size_t e = 0; e < entries; ++e) {
        for (size_t i = 0; i < count; ++i) x[e * n + i] = b[e * width + i];
    }
}
