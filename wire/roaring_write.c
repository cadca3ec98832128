/* Writing Roaring bitmaps by CRoaring. Its few functions used are declared here: only the library itself has to be
   there, and only where bitmaps are written. */
#include <dlfcn.h>

#include "wire/roaring.h"

typedef struct roaring_bitmap roaring_bitmap;

typedef struct library {
    void *handle;
    roaring_bitmap *(*of_ptr)(size_t n, const uint32_t *values);
    bool (*run_optimize)(roaring_bitmap *r);
    size_t (*size_in_bytes)(const roaring_bitmap *r);
    size_t (*serialize)(const roaring_bitmap *r, char *into);
    void (*release)(const roaring_bitmap *r);
} library;

static lake_status load(library *l, lake_error *err) {
    static const char *const sonames[] = {"libroaring.so.0", "libroaring.so"};
    const struct {
        const char *name;
        void *function;
    } symbols[] = {
        {"roaring_bitmap_of_ptr", &l->of_ptr},
        {"roaring_bitmap_run_optimize", &l->run_optimize},
        {"roaring_bitmap_portable_size_in_bytes", &l->size_in_bytes},
        {"roaring_bitmap_portable_serialize", &l->serialize},
        {"roaring_bitmap_free", &l->release},
    };
    for (int i = 0; i < 2 && !l->handle; i++)
        l->handle = dlopen(sonames[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *found = l->handle ? dlsym(l->handle, symbols[i].name) : NULL;
        if (!found)
            return lake_fail(err, LAKE_ERR_UNSUPPORTED,
                "%s cannot be loaded (Debian package libroaring0): deletion vectors are written with it", sonames[0]);
        memcpy(symbols[i].function, &found, sizeof found);
    }
    return LAKE_OK;
}

/* The bitmap of one key, with the key before it. */
static lake_status write_one(
    const library *l, uint32_t key, const lake_buffer *low, lake_buffer *out, lake_error *err) {
    roaring_bitmap *r = l->of_ptr(low->len / sizeof(uint32_t), (const uint32_t *)(const void *)low->data);
    if (!r)
        return lake_fail_memory(err);
    l->run_optimize(r);
    size_t size = l->size_in_bytes(r);
    lake_buffer_put(out, &key, sizeof key);
    if (lake_buffer_reserve(out, size))
        out->len += l->serialize(r, (char *)out->data + out->len);
    l->release(r);
    return lake_buffer_check(out, err);
}

static lake_status write_all(
    const library *l, const uint64_t *positions, size_t n, lake_buffer *low, lake_buffer *out, lake_error *err) {
    uint64_t keys = 0;
    for (size_t i = 0; i < n; i++) {
        if (positions[i] > INT64_MAX || (i && positions[i] <= positions[i - 1]))
            return lake_fail(err, LAKE_ERR_USAGE, "positions must rise, each given once, and be below 2^63");
        keys += i == 0 || positions[i] >> 32 != positions[i - 1] >> 32;
    }
    lake_buffer_put(out, &keys, sizeof keys);
    for (size_t i = 0; i < n;) {
        uint32_t key = (uint32_t)(positions[i] >> 32);
        lake_buffer_reset(low);
        for (; i < n && positions[i] >> 32 == key; i++) {
            uint32_t v = (uint32_t)positions[i];
            lake_buffer_put(low, &v, sizeof v);
        }
        LAKE_TRY(lake_buffer_check(low, err));
        LAKE_TRY(write_one(l, key, low, out, err));
    }
    return lake_buffer_check(out, err);
}

lake_status lake_roaring_write(const uint64_t *positions, size_t n, lake_buffer *out, lake_error *err) {
    library l = {0};
    lake_buffer low;
    lake_buffer_init(&low);
    lake_status status = load(&l, err);
    if (status == LAKE_OK)
        status = write_all(&l, positions, n, &low, out, err);
    lake_buffer_clear(&low);
    if (l.handle)
        dlclose(l.handle);
    return status;
}
