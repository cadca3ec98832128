/* `alter`: columns, and the format version (spec.md, "Schema Evolution"). The steps are made one behind the other on a
   copy of the current schema; what comes out becomes the current schema, under the number of an equal one if the table
   had that before. */
#include "writer/alter.h"

#include "writer/commit_internal.h"
#include "writer/document.h"
#include "writer/properties.h"

enum { MAX_DEPTH = 1000 };

typedef struct editing {
    const lake_alteration *steps;
    size_t nsteps;
} editing;

/* To the bottom, as nothing of the base may change. */
static lake_json *copy_all(lake_arena *arena, const lake_json *v, int depth) {
    lake_json *copy = depth < MAX_DEPTH ? lake_json_copy(arena, v) : NULL;
    for (size_t i = 0; copy && (v->kind == LAKE_JSON_ARRAY || v->kind == LAKE_JSON_OBJECT) && i < v->count; i++) {
        bool array = v->kind == LAKE_JSON_ARRAY;
        lake_json *child = copy_all(arena, array ? v->items[i] : v->members[i].value, depth + 1);
        if (!child)
            return NULL;
        if (array)
            copy->items[i] = child;
        else
            copy->members[i].value = child;
    }
    return copy;
}

/* ---- the new schema among the others */

static lake_status print_without_id(lake_arena *arena, const lake_json *schema, lake_buffer *out, lake_error *err) {
    lake_json *copy = lake_json_copy(arena, schema);
    if (!copy)
        return lake_fail_memory(err);
    lake_json_remove(copy, "schema-id");
    lake_json_print(out, copy, 0);
    return lake_buffer_check(out, err);
}

static lake_status same_schema(lake_arena *arena, const lake_json *a, const lake_json *b, bool *same, lake_error *err) {
    lake_buffer x, y;
    lake_buffer_init(&x);
    lake_buffer_init(&y);
    lake_status s = print_without_id(arena, a, &x, err);
    if (s == LAKE_OK)
        s = print_without_id(arena, b, &y, err);
    *same = s == LAKE_OK && lake_str_eq(lake_buffer_view(&x), lake_buffer_view(&y));
    lake_buffer_clear(&x);
    lake_buffer_clear(&y);
    return s;
}

static lake_status choose_id(const lake_altering *a, int32_t *id, bool *known) {
    const lake_metadata *m = a->base;
    int32_t most = 0;
    *known = false;
    for (size_t i = 0; i < m->nschemas && !*known; i++) {
        LAKE_TRY(same_schema(a->arena, m->schemas[i]->json, a->json, known, a->err));
        *id = m->schemas[i]->id;
        most = *id > most ? *id : most;
    }
    if (*known)
        return LAKE_OK;
    if (most == INT32_MAX)
        return lake_fail(a->err, LAKE_ERR_LIMIT, "the table's schema numbers are used up");
    *id = most + 1;
    return LAKE_OK;
}

static bool put_schema(lake_altering *a, int32_t id, bool known) {
    lake_json *list = lake_document_own_schemas(a->arena, a->doc, a->base);
    return list && lake_document_set_i64(a->arena, a->json, "schema-id", id) &&
        (known || lake_json_push(a->arena, list, a->json)) &&
        lake_document_set_i64(a->arena, a->doc, "current-schema-id", id) &&
        lake_document_set_i64(a->arena, a->doc, "last-column-id", a->last_id) &&
        (a->version > 1 || lake_json_set(a->arena, a->doc, "schema", a->json));
}

/* ---- the edit */

static lake_status upgrade(lake_altering *a, const lake_alteration *step) {
    int32_t version;
    LAKE_TRY(lake_property_version(lake_str_of(step->to ? step->to : ""), &version, a->err));
    if (a->version != a->base->format_version && version != a->version)
        return lake_fail(a->err, LAKE_ERR_USAGE, "two format versions are asked for");
    LAKE_TRY(lake_document_upgrade(a->arena, a->doc, a->base, version, a->err));
    a->version = version;
    return LAKE_OK;
}

static lake_status edit(void *user, lake_base *base, lake_json *doc, lake_error *err) {
    const editing *e = user;
    const lake_metadata *m = base->metadata;
    lake_altering a = {base->arena, m, doc, m->format_version, copy_all(base->arena, m->schema->json, 0), m->schema,
        m->last_column_id, err};
    bool known;
    int32_t id;
    if (!a.json)
        return lake_fail_memory(err);
    for (size_t i = 0; i < e->nsteps; i++)
        LAKE_TRY(e->steps[i].kind == LAKE_UPGRADE ? upgrade(&a, &e->steps[i]) : lake_alter_columns(&a, &e->steps[i]));
    LAKE_TRY(choose_id(&a, &id, &known));
    base->nothing = known && id == m->schema->id && a.version == m->format_version;
    if ((!known || id != m->schema->id) && !put_schema(&a, id, known))
        return lake_fail_memory(err);
    base->said = lake_arena_printf(base->arena, "\"schema-id\":%d,\"last-column-id\":%d,\"format-version\":%d", (int)id,
        (int)a.last_id, (int)a.version);
    return base->said.ptr ? LAKE_OK : lake_fail_memory(err);
}

lake_status lake_table_alter(lake_table *table, const lake_alteration *steps, size_t nsteps,
    const lake_commit_options *options, const lake_sink *sink, lake_error *err) {
    editing e = {steps, nsteps};
    lake_commit_source source = {.user = &e, .edit = edit};
    if (!steps || !nsteps)
        return lake_fail(err, LAKE_ERR_USAGE, "nothing is altered");
    return lake_commit_run(table, &source, options, sink, err);
}
