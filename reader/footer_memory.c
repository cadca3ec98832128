/* A table of footers by location. */
#include "reader/footer_memory.h"

#include <pthread.h>

typedef struct item {
    struct item *next;
    uint64_t hash, file_size;
    size_t name, len;
    uint8_t data[]; /* the location, then the footer */
} item;

struct lake_footer_memory {
    pthread_mutex_t lock;
    item **slots;
    size_t n, nslots, used, limit;
};

lake_footer_memory *lake_footer_memory_new(size_t limit) {
    lake_footer_memory *m = lake_mem_zalloc(1, sizeof *m);
    if (!m)
        return NULL;
    pthread_mutex_init(&m->lock, NULL);
    m->limit = limit;
    return m;
}

void lake_footer_memory_free(lake_footer_memory *m) {
    if (!m)
        return;
    for (size_t i = 0; i < m->nslots; i++)
        for (item *x = m->slots[i]; x;) {
            item *next = x->next;
            lake_mem_free(x);
            x = next;
        }
    lake_mem_free(m->slots);
    pthread_mutex_destroy(&m->lock);
    lake_mem_free(m);
}

static item *find(const lake_footer_memory *m, uint64_t hash, lake_str location, uint64_t file_size) {
    item *x = m->nslots ? m->slots[hash & (m->nslots - 1)] : NULL;
    while (x &&
        (x->hash != hash || x->file_size != file_size ||
            !lake_str_eq((lake_str){(const char *)x->data, x->name}, location)))
        x = x->next;
    return x;
}

static bool grow(lake_footer_memory *m) {
    size_t n = m->nslots ? 2 * m->nslots : 64;
    item **more = m->n < m->nslots ? NULL : lake_mem_zalloc(n, sizeof *more);
    if (!more)
        return m->n < m->nslots;
    for (size_t i = 0; i < m->nslots; i++)
        for (item *x = m->slots[i]; x;) {
            item *next = x->next;
            x->next = more[x->hash & (n - 1)];
            more[x->hash & (n - 1)] = x;
            x = next;
        }
    lake_mem_free(m->slots);
    m->slots = more;
    m->nslots = n;
    return true;
}

bool lake_footer_memory_get(
    lake_footer_memory *m, lake_str location, uint64_t file_size, lake_arena *arena, lake_bytes *footer) {
    pthread_mutex_lock(&m->lock);
    const item *x = find(m, lake_xxh64(location.ptr, location.len), location, file_size);
    if (x)
        *footer = lake_arena_bytes(arena, x->data + x->name, x->len);
    bool found = x && footer->ptr;
    pthread_mutex_unlock(&m->lock);
    return found;
}

void lake_footer_memory_put(lake_footer_memory *m, lake_str location, uint64_t file_size, lake_bytes footer) {
    size_t size = sizeof(item) + location.len + footer.len;
    pthread_mutex_lock(&m->lock);
    uint64_t hash = lake_xxh64(location.ptr, location.len);
    bool wanted = size <= m->limit - m->used && !find(m, hash, location, file_size);
    item *x = wanted && grow(m) ? lake_mem_alloc(size) : NULL;
    if (x) {
        item **slot = &m->slots[hash & (m->nslots - 1)];
        *x = (item){.next = *slot, .hash = hash, .file_size = file_size, .name = location.len, .len = footer.len};
        memcpy(x->data, location.ptr, location.len);
        memcpy(x->data + location.len, footer.ptr, footer.len);
        *slot = x;
        m->n++;
        m->used += size;
    }
    pthread_mutex_unlock(&m->lock);
}
