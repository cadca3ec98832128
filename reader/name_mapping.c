/* Name mappings: schema.name-mapping.default. */
#include "reader/name_mapping.h"

static bool names_contain(const lake_json *entry, lake_str name) {
    const lake_json *names = lake_json_find(entry, "names");
    for (size_t i = 0; lake_json_is(names, LAKE_JSON_ARRAY) && i < names->count; i++)
        if (lake_json_is(names->items[i], LAKE_JSON_STRING) && lake_str_eq(names->items[i]->text, name))
            return true;
    return false;
}

static const lake_json *mapping_entry(const lake_json *mapping, lake_str name) {
    for (size_t i = 0; lake_json_is(mapping, LAKE_JSON_ARRAY) && i < mapping->count; i++)
        if (lake_json_is(mapping->items[i], LAKE_JSON_OBJECT) && names_contain(mapping->items[i], name))
            return mapping->items[i];
    return NULL;
}

const lake_field *lake_name_match(
    bool mapped, const lake_type *t, const lake_json *mapping, lake_str name, size_t hint, const lake_json **nested) {
    const lake_json *entry = NULL;
    int32_t id = 0;
    *nested = NULL;
    if (mapped) {
        entry = mapping_entry(mapping, name);
        if (!entry || !lake_json_i32(lake_json_find(entry, "field-id"), &id))
            return NULL;
        *nested = lake_json_find(entry, "fields");
    }
    for (size_t i = 0; i < t->nfields; i++) {
        const lake_field *f = &t->fields[(hint + i) % t->nfields];
        if (mapped ? f->id == id : lake_str_eq(f->name, name))
            return f;
    }
    return NULL;
}
