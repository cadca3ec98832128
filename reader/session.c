/* Sessions: what every table and file is opened through. */
#include "lake/session.h"

#include "reader/table.h"

static lake_status copy_maps(lake_session *s, const lake_session_options *o, lake_error *err) {
    lake_map *maps = LAKE_ARENA_ARRAY(&s->arena, lake_map, o->nmaps + 1);
    if (!maps)
        return lake_fail_memory(err);
    for (size_t i = 0; i < o->nmaps; i++) {
        const char *from = o->maps[i].from, *to = o->maps[i].to;
        if (!from || !*from || !to)
            return lake_fail(err, LAKE_ERR_USAGE, "a location map needs a place to map from and one to map to");
        if (strlen(from) > 4096 || strlen(to) > 4096)
            return lake_fail(err, LAKE_ERR_LIMIT, "a location map of more than 4096 bytes");
        maps[i].from = lake_arena_str(&s->arena, from, strlen(from));
        maps[i].to = lake_arena_str(&s->arena, to, strlen(to));
        if (!maps[i].from.ptr || !maps[i].to.ptr)
            return lake_fail_memory(err);
    }
    s->store.maps = maps;
    s->store.nmaps = o->nmaps;
    return LAKE_OK;
}

lake_status lake_session_open(const lake_session_options *options, lake_session **out, lake_error *err) {
    static const lake_session_options defaults = LAKE_SESSION_OPTIONS_INIT;
    const lake_session_options *o = options ? options : &defaults;
    *out = NULL;
    lake_session *s = lake_mem_zalloc(1, sizeof *s);
    if (!s)
        return lake_fail_memory(err);
    lake_arena_init(&s->arena, 0);
    s->threads = o->threads ? o->threads : lake_threads_default();
    s->progress = o->progress;
    s->progress_user = o->progress_user;
    s->max_metadata_size = o->max_metadata_size ? o->max_metadata_size : (uint64_t)2 << 30;
    s->store.max_file = s->max_metadata_size;
    lake_status st = copy_maps(s, o, err);
    if (st == LAKE_OK && o->version >= 2 && o->cache)
        st = lake_cache_open(o->cache, LAKE_CACHE_FOOTERS, LAKE_CACHE_FOOTERS_LIMIT, &s->footers, err);
    if (st == LAKE_OK && o->version >= 2 && o->cache)
        st = lake_manifest_cache_open(o->cache, o->version >= 3 ? o->cache_size : 0, &s->manifests, err);
    else if (st == LAKE_OK && o->version >= 3 && o->cache_size)
        st = lake_manifest_cache_open(NULL, o->cache_size, &s->manifests, err);
    if (st != LAKE_OK) {
        lake_session_close(s);
        return st;
    }
    *out = s;
    return LAKE_OK;
}

void lake_session_close(lake_session *session) {
    if (!session)
        return;
    lake_cache_close(session->footers);
    lake_manifest_cache_close(session->manifests);
    lake_arena_clear(&session->arena);
    lake_mem_free(session);
}

const char *lake_version(void) {
    return LAKE_VERSION;
}
