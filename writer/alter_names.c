/* What goes by names and has to follow columns: the name mapping, by which files without ids are read (spec.md, "Name
   Mapping Serialization"), and the metrics modes of single columns. */
#include "writer/alter.h"
#include "writer/document.h"

enum { MAX_DEPTH = 100 };

typedef struct naming {
    lake_altering *a;
    int32_t id, parent;
    lake_str name;
    bool added;
} naming;

static bool is_id(const lake_json *entry, int32_t id) {
    int32_t n;
    return lake_json_i32(lake_json_find(entry, "field-id"), &n) && n == id;
}

static bool take_name(naming *x, lake_json *entry) {
    lake_json *names = lake_document_own(x->a->arena, entry, "names", LAKE_JSON_ARRAY);
    for (size_t i = 0; names && i < names->count; i++)
        if (lake_str_eq(names->items[i]->text, x->name))
            return true;
    lake_json *text = lake_json_new_string(x->a->arena, x->name);
    return names && text && lake_json_push(x->a->arena, names, text);
}

/* A name means one field: those who had it before lose it. */
static bool leave_name(naming *x, lake_json *entry) {
    lake_json *names = lake_document_own(x->a->arena, entry, "names", LAKE_JSON_ARRAY);
    size_t kept = 0;
    for (size_t i = 0; names && i < names->count; i++)
        if (!lake_str_eq(names->items[i]->text, x->name))
            names->items[kept++] = names->items[i];
    if (names)
        names->count = kept;
    return names != NULL;
}

static bool push_entry(naming *x, lake_json *list) {
    lake_json *e = lake_json_new(x->a->arena, LAKE_JSON_OBJECT);
    return e && lake_document_set_i64(x->a->arena, e, "field-id", x->id) && take_name(x, e) &&
        lake_json_push(x->a->arena, list, e);
}

/* The mapping was parsed for this: it may be changed in place. */
static bool walk(naming *x, lake_json *list, int32_t parent, int depth) {
    bool here = x->added && parent == x->parent;
    for (size_t i = 0; i < list->count; i++)
        here |= !x->added && is_id(list->items[i], x->id);
    for (size_t i = 0; i < list->count; i++) {
        lake_json *e = list->items[i];
        if (!lake_json_is(e, LAKE_JSON_OBJECT))
            continue;
        if (here && !(is_id(e, x->id) ? take_name(x, e) : leave_name(x, e)))
            return false;
        int32_t id = -1;
        bool known = lake_json_i32(lake_json_find(e, "field-id"), &id);
        lake_json *below = (lake_json *)lake_json_find(e, "fields");
        if (!below && known && x->added && id == x->parent) {
            below = lake_json_new(x->a->arena, LAKE_JSON_ARRAY);
            if (!below || !lake_json_set(x->a->arena, e, "fields", below))
                return false;
        }
        if (lake_json_is(below, LAKE_JSON_ARRAY) && depth < MAX_DEPTH && !walk(x, below, known ? id : -1, depth + 1))
            return false;
    }
    return !here || !x->added || push_entry(x, list);
}

/* A mapping that cannot be read is left alone: it is not ours to mend. */
static lake_status follow_mapping(naming *x, lake_json *properties) {
    static const char key[] = "schema.name-mapping.default";
    const lake_json *text = lake_json_find(properties, key);
    lake_json *mapping;
    lake_buffer out;
    if (!lake_json_is(text, LAKE_JSON_STRING) ||
        lake_json_parse(x->a->arena, text->text, NULL, &mapping, NULL) != LAKE_OK ||
        !lake_json_is(mapping, LAKE_JSON_ARRAY))
        return LAKE_OK;
    bool done = walk(x, mapping, 0, 0);
    lake_buffer_init(&out);
    lake_json_print(&out, mapping, 0);
    done = done && !out.failed && lake_document_set_str(x->a->arena, properties, key, lake_buffer_view(&out));
    lake_buffer_clear(&out);
    return done ? LAKE_OK : lake_fail_memory(x->a->err);
}

/* The full name of the column, and of those below it, in front of which the old one stood. */
static lake_status follow_metrics(naming *x, lake_json *properties, lake_str old_name) {
    lake_str prefix = LAKE_STR("write.metadata.metrics.column.");
    size_t cut = old_name.len;
    while (cut && old_name.ptr[cut - 1] != '.')
        cut--;
    for (size_t i = 0; i < properties->count; i++) {
        lake_str key = properties->members[i].name;
        if (!lake_str_starts(key, prefix) ||
            !lake_str_starts((lake_str){key.ptr + prefix.len, key.len - prefix.len}, old_name))
            continue;
        lake_str rest = {key.ptr + prefix.len + old_name.len, key.len - prefix.len - old_name.len};
        if (rest.len && rest.ptr[0] != '.')
            continue;
        lake_str fresh = lake_arena_printf(x->a->arena, "%.*s%.*s%.*s%.*s", LAKE_ARG(prefix), (int)cut, old_name.ptr,
            LAKE_ARG(x->name), LAKE_ARG(rest));
        if (!fresh.ptr)
            return lake_fail_memory(x->a->err);
        properties->members[i].name = fresh;
    }
    return LAKE_OK;
}

lake_status lake_alter_names(lake_altering *a, int32_t id, int32_t parent, lake_str name, const char *old_name) {
    if (!lake_json_find(a->doc, "properties"))
        return LAKE_OK;
    naming x = {a, id, parent, name, !old_name};
    lake_json *properties = lake_document_own(a->arena, a->doc, "properties", LAKE_JSON_OBJECT);
    if (!properties)
        return lake_fail_memory(a->err);
    LAKE_TRY(follow_mapping(&x, properties));
    return old_name ? follow_metrics(&x, properties, lake_str_of(old_name)) : LAKE_OK;
}
