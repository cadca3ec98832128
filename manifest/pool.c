/* What a worker keeps between manifests. The lists are short: a table has few writer schemas. */
#include "manifest/pool.h"

#include "manifest/slots.h"

struct lake_pool_schema {
    struct lake_pool_schema *next;
    lake_str text;
    const lake_avro_type *type;
};

struct lake_pool_text {
    struct lake_pool_text *next;
    lake_str text;
    int32_t spec_id; /* for a spec, which is told its id */
    lake_json *json;
    lake_spec *spec;
};

struct lake_pool_program {
    struct lake_pool_program *next;
    const lake_avro_type *schema;
    const lake_spec *spec; /* a copy of ids, names and kinds of transforms, or NULL */
    lake_program program;
};

lake_manifest_pool *lake_manifest_pool_make(lake_codec_scratch *scratch) {
    lake_manifest_pool *pool = lake_mem_zalloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    lake_arena_init(&pool->arena, 0);
    lake_buffer_init(&pool->spare);
    pool->borrowed = scratch != NULL;
    pool->scratch = scratch ? scratch : lake_codec_scratch_new();
    if (pool->scratch)
        return pool;
    lake_manifest_pool_free(pool);
    return NULL;
}

lake_manifest_pool *lake_manifest_pool_new(void) {
    return lake_manifest_pool_make(NULL);
}

void lake_manifest_pool_free(lake_manifest_pool *pool) {
    if (!pool)
        return;
    if (!pool->borrowed)
        lake_codec_scratch_free(pool->scratch);
    lake_buffer_clear(&pool->spare);
    lake_arena_clear(&pool->arena);
    lake_mem_free(pool);
}

lake_status lake_pool_schema(lake_manifest_pool *pool, lake_str text, const lake_avro_type **out, lake_error *err) {
    for (struct lake_pool_schema *s = pool->schemas; s; s = s->next) {
        if (lake_str_eq(s->text, text)) {
            *out = s->type;
            return LAKE_OK;
        }
    }
    struct lake_pool_schema *s = LAKE_ARENA_NEW(&pool->arena, struct lake_pool_schema);
    if (!s)
        return lake_fail_memory(err);
    s->text = lake_arena_str(&pool->arena, text.ptr, text.len);
    if (!s->text.ptr)
        return lake_fail_memory(err);
    lake_json *json;
    LAKE_TRY(lake_json_parse(&pool->arena, s->text, "avro.schema", &json, err));
    LAKE_TRY(lake_avro_schema_parse(&pool->arena, json, &s->type, err));
    s->next = pool->schemas;
    pool->schemas = s;
    *out = s->type;
    return LAKE_OK;
}

static lake_status pool_text(lake_manifest_pool *pool, lake_str text, int32_t spec_id, const char *name,
    struct lake_pool_text **out, lake_error *err) {
    for (*out = pool->texts; *out; *out = (*out)->next)
        if ((*out)->spec_id == spec_id && lake_str_eq((*out)->text, text))
            return LAKE_OK;
    struct lake_pool_text *t = LAKE_ARENA_NEW(&pool->arena, struct lake_pool_text);
    if (!t)
        return lake_fail_memory(err);
    t->spec_id = spec_id;
    t->text = lake_arena_str(&pool->arena, text.ptr, text.len);
    if (!t->text.ptr)
        return lake_fail_memory(err);
    LAKE_TRY(lake_json_parse(&pool->arena, t->text, name, &t->json, err));
    t->next = pool->texts;
    pool->texts = t;
    *out = t;
    return LAKE_OK;
}

lake_status lake_pool_json(
    lake_manifest_pool *pool, lake_str text, const char *name, const lake_json **out, lake_error *err) {
    struct lake_pool_text *t;
    LAKE_TRY(pool_text(pool, text, -1, name, &t, err));
    *out = t->json;
    return LAKE_OK;
}

lake_status lake_pool_spec(
    lake_manifest_pool *pool, lake_str text, int32_t spec_id, const lake_spec **out, lake_error *err) {
    struct lake_pool_text *t;
    LAKE_TRY(pool_text(pool, text, spec_id, "partition-spec", &t, err));
    if (!t->spec) {
        LAKE_TRY_WRAP(lake_spec_read(&pool->arena, t->json, &t->spec, err), err, "partition-spec");
        t->spec->id = spec_id;
    }
    *out = t->spec;
    return LAKE_OK;
}

static bool same_fields(const lake_spec *a, const lake_spec *b) {
    if (!a || !b)
        return a == b;
    if (a->nfields != b->nfields)
        return false;
    for (size_t i = 0; i < a->nfields; i++)
        if (a->fields[i].id != b->fields[i].id || a->fields[i].transform.id != b->fields[i].transform.id ||
            !lake_str_eq(a->fields[i].name, b->fields[i].name))
            return false;
    return true;
}

/* The caller's spec may be gone when the pool still lives. */
static lake_status copy_spec(lake_manifest_pool *pool, const lake_spec *spec, const lake_spec **out, lake_error *err) {
    lake_spec *copy = LAKE_ARENA_NEW(&pool->arena, lake_spec);
    if (!copy)
        return lake_fail_memory(err);
    copy->id = spec->id;
    copy->nfields = spec->nfields;
    copy->fields = LAKE_ARENA_ARRAY(&pool->arena, lake_partition_field, spec->nfields);
    for (size_t i = 0; copy->fields && i < spec->nfields; i++) {
        copy->fields[i].id = spec->fields[i].id;
        copy->fields[i].transform.id = spec->fields[i].transform.id;
        copy->fields[i].name = lake_arena_str(&pool->arena, spec->fields[i].name.ptr, spec->fields[i].name.len);
        if (!copy->fields[i].name.ptr)
            return lake_fail_memory(err);
    }
    *out = copy;
    return copy->fields ? LAKE_OK : lake_fail_memory(err);
}

lake_status lake_pool_program(lake_manifest_pool *pool, const lake_avro_type *schema, const lake_spec *spec,
    const lake_program **out, lake_error *err) {
    for (struct lake_pool_program *p = pool->programs; p; p = p->next) {
        if (p->schema == schema && same_fields(p->spec, spec)) {
            *out = &p->program;
            return LAKE_OK;
        }
    }
    struct lake_pool_program *p = LAKE_ARENA_NEW(&pool->arena, struct lake_pool_program);
    if (!p)
        return lake_fail_memory(err);
    p->schema = schema;
    if (spec)
        LAKE_TRY(copy_spec(pool, spec, &p->spec, err));
    LAKE_TRY(
        lake_program_compile(&pool->arena, schema, lake_entry_slots, lake_entry_nslots, p->spec, &p->program, err));
    p->next = pool->programs;
    pool->programs = p;
    *out = &p->program;
    return LAKE_OK;
}
