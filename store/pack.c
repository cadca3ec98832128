/* Reading packs (pack_internal.h has the layout). */
#include "store/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/pack_internal.h"

struct lake_pack {
    atomic_uint refs;
    int fd;
    const uint8_t *data;
    size_t size, n, nids;
    const uint8_t *records, *ids, *keys;
    size_t nkeys; /* bytes */
    _Atomic uint8_t *verified; /* of each id: 0 not looked at, 1 good, 2 damaged */
};

uint64_t lake_pack_hash(lake_bytes key) {
    return lake_xxh64(key.ptr, key.len);
}

static bool within(uint64_t begin, uint64_t len, uint64_t size) {
    return begin <= size && len <= size - begin;
}

static bool check_index(lake_pack *p, uint64_t begin, uint64_t len) {
    uint64_t table = (uint64_t)p->n * PACK_RECORD, before = 0;
    if (table + 8 > len)
        return false;
    p->records = p->data + begin;
    p->nids = (size_t)lake_get_le64(p->records + table);
    if (p->nids > (len - table - 8) / PACK_ID)
        return false;
    p->ids = p->records + table + 8;
    p->keys = p->ids + p->nids * PACK_ID;
    p->nkeys = (size_t)(len - table - 8 - p->nids * PACK_ID);
    for (size_t i = 0; i < p->n; i++) {
        const uint8_t *r = p->records + i * PACK_RECORD;
        uint64_t hash = lake_get_le64(r), at = lake_get_le64(r + 8);
        if (hash < before || at % 8 || !within(at, lake_get_le64(r + 16), begin) ||
            !within(lake_get_le32(r + 24), lake_get_le32(r + 28), p->nkeys))
            return false;
        before = hash;
    }
    for (size_t i = 0; i < p->nids; i++)
        if (!within(lake_get_le64(p->ids + i * PACK_ID + 8), (uint64_t)p->n * LAKE_PACK_ROW, begin))
            return false;
    return true;
}

static bool check(lake_pack *p) {
    const uint8_t *h = p->data;
    uint64_t n = lake_get_le64(h + 8), begin = lake_get_le64(h + 24), len = lake_get_le64(h + 32);
    if (memcmp(h, PACK_MAGIC, 8) != 0 || lake_xxh64(h, PACK_HEAD - 8) != lake_get_le64(h + PACK_HEAD - 8) ||
        n > PACK_MOST || lake_get_le64(h + 16) != p->size || begin < PACK_HEAD || begin % 8 ||
        !within(begin, len, p->size) || lake_xxh64(h + begin, len) != lake_get_le64(h + 40))
        return false;
    p->n = (size_t)n;
    return check_index(p, begin, len);
}

lake_pack *lake_pack_map(int fd) {
    struct stat st;
    lake_pack *p =
        fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= PACK_HEAD ? lake_mem_zalloc(1, sizeof *p) : NULL;
    void *data = p ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (data == MAP_FAILED) {
        close(fd);
        lake_mem_free(p);
        return NULL;
    }
    atomic_init(&p->refs, 1);
    p->fd = fd;
    p->data = data;
    p->size = (size_t)st.st_size;
    if (check(p))
        p->verified = lake_mem_zalloc(p->nids + 1, sizeof *p->verified);
    if (p->verified)
        return p;
    lake_pack_release(p);
    return NULL;
}

lake_pack *lake_pack_open(int folder, const char *name) {
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    return fd < 0 ? NULL : lake_pack_map(fd);
}

lake_pack *lake_pack_keep(lake_pack *p) {
    atomic_fetch_add(&p->refs, 1);
    return p;
}

void lake_pack_release(lake_pack *p) {
    if (!p || atomic_fetch_sub(&p->refs, 1) != 1)
        return;
    munmap((void *)(uintptr_t)p->data, p->size);
    close(p->fd);
    lake_mem_free((void *)p->verified);
    lake_mem_free(p);
}

size_t lake_pack_count(const lake_pack *p) {
    return p->n;
}

uint64_t lake_pack_size(const lake_pack *p) {
    return p->size;
}

static const uint8_t *record(const lake_pack *p, size_t i) {
    return p->records + i * PACK_RECORD;
}

lake_bytes lake_pack_key(const lake_pack *p, size_t i) {
    return (lake_bytes){p->keys + lake_get_le32(record(p, i) + 24), lake_get_le32(record(p, i) + 28)};
}

size_t lake_pack_find(const lake_pack *p, uint64_t hash, lake_bytes key) {
    size_t lo = 0, hi = p->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (lake_get_le64(record(p, mid)) < hash)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < p->n && lake_get_le64(record(p, lo)) == hash; lo++)
        if (lake_bytes_cmp(lake_pack_key(p, lo), key) == 0)
            return lo;
    return SIZE_MAX;
}

lake_bytes lake_pack_value(const lake_pack *p, size_t i) {
    return (lake_bytes){p->data + lake_get_le64(record(p, i) + 8), (size_t)lake_get_le64(record(p, i) + 16)};
}

bool lake_pack_read(const lake_pack *p, size_t i, uint64_t begin, void *into, size_t n) {
    const uint8_t *r = record(p, i);
    uint64_t len = lake_get_le64(r + 16), at = lake_get_le64(r + 8) + begin;
    if (!within(begin, n, len))
        return false;
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(p->fd, (uint8_t *)into + done, n - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

bool lake_pack_value_good(const lake_pack *p, size_t i) {
    lake_bytes v = lake_pack_value(p, i);
    return lake_xxh64(v.ptr, v.len) == lake_get_le64(record(p, i) + 32);
}

static const uint8_t *rows_at(lake_pack *p, size_t i) {
    const uint8_t *id = p->ids + i * PACK_ID, *rows = p->data + lake_get_le64(id + 8);
    uint8_t state = p->verified[i];
    if (!state) {
        state = lake_xxh64(rows, p->n * LAKE_PACK_ROW) == lake_get_le64(id + 16) ? 1 : 2;
        p->verified[i] = state;
    }
    return state == 1 ? rows : NULL;
}

const uint8_t *lake_pack_rows(lake_pack *p, int32_t id) {
    size_t lo = 0, hi = p->nids;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if ((int64_t)lake_get_le64(p->ids + mid * PACK_ID) < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < p->nids && (int64_t)lake_get_le64(p->ids + lo * PACK_ID) == id ? rows_at(p, lo) : NULL;
}

bool lake_pack_rows_good(lake_pack *p) {
    bool good = true;
    for (size_t i = 0; i < p->nids; i++)
        good = rows_at(p, i) && good;
    return good;
}

size_t lake_pack_rows_of(lake_pack *p, size_t i, lake_pack_row *out, size_t room) {
    static const uint8_t none[LAKE_PACK_ROW];
    size_t n = 0;
    for (size_t k = 0; k < p->nids && n < room; k++) {
        const uint8_t *rows = rows_at(p, k);
        if (!rows || memcmp(rows + i * LAKE_PACK_ROW, none, LAKE_PACK_ROW) == 0)
            continue;
        out[n].id = (int32_t)lake_get_le64(p->ids + k * PACK_ID);
        memcpy(out[n++].bytes, rows + i * LAKE_PACK_ROW, LAKE_PACK_ROW);
    }
    return n;
}
