/* The floor of planning: reading, inflating and walking the entries of all manifests once, in one thread, keeping
   nothing.

     floor TABLE a|c [ROUNDS [figures]]

   a: every field is skipped by its type; c: the bounds of column 3 (seq) are tested, too. Prints the processor time of
   the best round in ms (neighbours disturb it less than wall time), and the files and records kept. With `figures` also
   bytes read, blocks, bytes inflated and entries. Hard-wired to entries as the official Java library writes them for
   format version 2 (bench/java/): it reads what it made itself, so nothing is checked but where a walk ends. */
#include <dirent.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

enum { FILE_ROOM = 64 << 20, BLOCK_ROOM = 16 << 20 };
typedef enum codec { CODEC_NULL, CODEC_DEFLATE, CODEC_ZSTD } codec;

static struct {
    char query;
    int64_t low, high;
    struct libdeflate_decompressor *deflate;
    ZSTD_DCtx *zstd;
    uint8_t *file, *block;
    int64_t files, rows, entries, blocks, bytes_read, bytes_inflated;
} job;

static void die(const char *what) {
    fprintf(stderr, "floor: %s\n", what);
    exit(1);
}

static double cpu_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static inline int64_t number(const uint8_t **at) {
    const uint8_t *p = *at;
    uint64_t b = *p++, v = b & 127;
    for (int shift = 7; b & 128; shift += 7) {
        b = *p++;
        v |= (b & 127) << shift;
    }
    *at = p;
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static inline void skip_bytes(const uint8_t **p) {
    int64_t n = number(p);
    *p += n;
}

static inline void skip_optional_number(const uint8_t **p) {
    if (number(p))
        number(p);
}

/* The items of the next chunk of an array; 0 at its end. */
static inline int64_t chunk(const uint8_t **p) {
    int64_t n = number(p);
    if (n < 0) {
        n = -n;
        number(p);
    }
    return n;
}

static inline void skip_counts(const uint8_t **p) {
    if (number(p) == 0)
        return;
    for (int64_t n; (n = chunk(p)) != 0;)
        for (; n > 0; n--) {
            number(p);
            number(p);
        }
}

/* The 8 bytes of a column's bound, or NULL; column -1: of none. */
static inline const uint8_t *walk_bounds(const uint8_t **p, int64_t column) {
    const uint8_t *found = NULL;
    if (number(p) == 0)
        return NULL;
    for (int64_t n; (n = chunk(p)) != 0;)
        for (; n > 0; n--) {
            int64_t id = number(p), len = number(p);
            if (id == column && len == 8)
                found = *p;
            *p += len;
        }
    return found;
}

static inline void skip_numbers(const uint8_t **p) {
    if (number(p) == 0)
        return;
    for (int64_t n; (n = chunk(p)) != 0;)
        for (; n > 0; n--)
            number(p);
}

static inline int64_t little64(const uint8_t *p) {
    int64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline bool in_range(const uint8_t *low, const uint8_t *high) {
    return (low == NULL || little64(low) <= job.high) && (high == NULL || little64(high) >= job.low);
}

static void walk_block(const uint8_t *p, const uint8_t *end, int64_t count) {
    int64_t column = job.query == 'c' ? 3 : -1;
    for (int64_t i = 0; i < count; i++) {
        number(&p); /* status */
        for (int k = 0; k < 3; k++) /* snapshot id, sequence number, file sequence number */
            skip_optional_number(&p);
        number(&p); /* content */
        skip_bytes(&p); /* path */
        skip_bytes(&p); /* format */
        skip_optional_number(&p); /* partition: the day */
        int64_t rows = number(&p);
        number(&p); /* file size */
        for (int k = 0; k < 4; k++) /* sizes, values, nulls, NaNs */
            skip_counts(&p);
        const uint8_t *low = walk_bounds(&p, column), *high = walk_bounds(&p, column);
        if (number(&p)) /* key metadata */
            skip_bytes(&p);
        skip_numbers(&p); /* split offsets */
        skip_numbers(&p); /* equality ids */
        skip_optional_number(&p); /* sort order */
        if (number(&p)) /* referenced data file */
            skip_bytes(&p);
        if (job.query != 'c' || in_range(low, high)) {
            job.rows += rows;
            job.files++;
        }
    }
    if (p != end)
        die("a walk did not end where the block ends: not a table that bench/java made");
    job.entries += count;
}

static size_t inflate_block(const uint8_t *in, size_t len, codec how) {
    size_t used, got;
    if (how == CODEC_NULL) {
        if (len > BLOCK_ROOM)
            die("a block is too large");
        memcpy(job.block, in, len);
        return len;
    }
    if (how == CODEC_ZSTD) {
        got = ZSTD_decompressDCtx(job.zstd, job.block, BLOCK_ROOM, in, len);
        if (ZSTD_isError(got))
            die("zstd");
        return got;
    }
    if (libdeflate_deflate_decompress_ex(job.deflate, in, len, job.block, BLOCK_ROOM, &used, &got) !=
        LIBDEFLATE_SUCCESS)
        die("deflate");
    return got;
}

/* Reads the pairs of an Avro header; *at is then at the sync marker. */
static codec read_header(const uint8_t **at) {
    codec how = CODEC_NULL;
    const uint8_t *p = *at;
    for (int64_t n; (n = chunk(&p)) != 0;)
        for (; n > 0; n--) {
            int64_t klen = number(&p);
            const uint8_t *key = p;
            p += klen;
            int64_t vlen = number(&p);
            if (klen == 10 && memcmp(key, "avro.codec", 10) == 0)
                how = vlen == 7 ? CODEC_DEFLATE : vlen == 9 ? CODEC_ZSTD : CODEC_NULL;
            p += vlen;
        }
    *at = p;
    return how;
}

static void walk_file(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, job.file, FILE_ROOM);
    if (len < 20)
        die(path);
    close(fd);
    const uint8_t *p = job.file + 4, *end = job.file + len;
    codec how = read_header(&p);
    for (p += 16; p < end;) {
        int64_t count = number(&p), size = number(&p);
        size_t got = inflate_block(p, (size_t)size, how);
        walk_block(job.block, job.block + got, count);
        job.bytes_inflated += (int64_t)got;
        job.blocks++;
        p += size + 16;
    }
    job.bytes_read += len;
}

static char **manifests_of(const char *table, size_t *n) {
    char folder[4096], **names = NULL;
    snprintf(folder, sizeof folder, "%s/metadata", table);
    DIR *d = opendir(folder);
    if (d == NULL)
        die(folder);
    *n = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (strstr(e->d_name, "-m") == NULL || strstr(e->d_name, ".avro") == NULL || e->d_name[0] == 's')
            continue;
        names = *n % 1024 == 0 ? realloc(names, (*n + 1024) * sizeof *names) : names;
        if (names == NULL || asprintf(&names[*n], "%s/%s", folder, e->d_name) < 0)
            die("no memory");
        ++*n;
    }
    closedir(d);
    return names;
}

static void read_range(const char *table) {
    char path[4096], line[4096];
    snprintf(path, sizeof path, "%s/queries.properties", table);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        die(path);
    while (fgets(line, sizeof line, f) != NULL) {
        if (strncmp(line, "c.seq_lo=", 9) == 0)
            job.low = atoll(line + 9);
        if (strncmp(line, "c.seq_hi=", 9) == 0)
            job.high = atoll(line + 9);
    }
    fclose(f);
}

int main(int argc, char **argv) {
    if (argc < 3)
        die("usage: floor TABLE a|c [ROUNDS [figures]]");
    job.query = argv[2][0];
    read_range(argv[1]);
    size_t n;
    char **names = manifests_of(argv[1], &n);
    job.deflate = libdeflate_alloc_decompressor();
    job.zstd = ZSTD_createDCtx();
    job.file = malloc(FILE_ROOM);
    job.block = malloc(BLOCK_ROOM);
    if (job.deflate == NULL || job.zstd == NULL || job.file == NULL || job.block == NULL)
        die("no memory");
    double best = 1e12;
    for (int rounds = argc > 3 ? atoi(argv[3]) : 3; rounds > 0; rounds--) {
        double start = cpu_now();
        job.files = job.rows = job.entries = job.blocks = job.bytes_read = job.bytes_inflated = 0;
        for (size_t i = 0; i < n; i++)
            walk_file(names[i]);
        double took = cpu_now() - start;
        best = took < best ? took : best;
    }
    printf("%.2f %lld %lld\n", best, (long long)job.files, (long long)job.rows);
    if (argc > 4)
        printf("manifests %zu, bytes read %lld, blocks %lld, bytes inflated %lld, entries %lld\n", n,
            (long long)job.bytes_read, (long long)job.blocks, (long long)job.bytes_inflated, (long long)job.entries);
    return 0;
}
