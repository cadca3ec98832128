/* Names and places of new metadata files (spec.md, Appendix F, "Path Construction"), and the list of files to take away
   again when a commit fails. */
#include <errno.h>
#include <stdio.h>
#include <sys/random.h>

#include "writer/commit_internal.h"

lake_status lake_uuid_draw(char out[37], lake_error *err) {
    uint8_t b[16];
    if (getrandom(b, sizeof b, 0) != (ssize_t)sizeof b)
        return lake_fail_os(err, errno, "cannot draw a random UUID");
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    char *p = out;
    for (int i = 0; i < 16; i++)
        p += sprintf(p, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
    return LAKE_OK;
}

/* With a scheme or from the root: used as it is. */
static bool is_absolute(lake_str path) {
    size_t i = 0;
    while (i < path.len && path.ptr[i] != ':' && path.ptr[i] != '/')
        i++;
    return path.len && (path.ptr[0] == '/' || (i && i < path.len && path.ptr[i] == ':'));
}

lake_status lake_metadata_place(
    lake_arena *arena, const lake_metadata *m, lake_str name, lake_str *out, lake_error *err) {
    lake_str base = lake_metadata_property(m, "write.metadata.path");
    if (!base.len)
        base = LAKE_STR("metadata");
    while (base.len > 1 && base.ptr[base.len - 1] == '/')
        base.len--;
    if (is_absolute(base))
        *out = lake_arena_printf(arena, "%.*s/%.*s", LAKE_ARG(base), LAKE_ARG(name));
    else
        *out = lake_arena_printf(arena, "%.*s/%.*s/%.*s", LAKE_ARG(m->location), LAKE_ARG(base), LAKE_ARG(name));
    return out->ptr ? LAKE_OK : lake_fail_memory(err);
}

bool lake_path_list_add(lake_path_list *list, lake_arena *arena, lake_str path) {
    if (list->n == list->room) {
        size_t room = list->room ? list->room * 2 : 8;
        lake_str *more = LAKE_ARENA_ARRAY(arena, lake_str, room);
        if (!more)
            return false;
        if (list->n)
            memcpy(more, list->paths, list->n * sizeof *more);
        list->paths = more;
        list->room = room;
    }
    list->paths[list->n] = lake_arena_str(arena, path.ptr, path.len);
    return list->paths[list->n].ptr && ++list->n;
}

void lake_path_list_remove(lake_path_list *list, const lake_store *store) {
    for (size_t i = 0; i < list->n; i++) {
        lake_status s = lake_store_remove(store, list->paths[i], NULL);
        (void)s; /* what cannot be removed stays an orphan; the commit's own error matters more */
    }
    list->n = 0;
}
