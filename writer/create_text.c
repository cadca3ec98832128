/* Texts around a new table: sort orders as people write them, and the name mapping of its own names. */
#include <strings.h>

#include "writer/create_internal.h"

static lake_str trim(lake_str s) {
    while (s.len && strchr(" \t\r\n", s.ptr[0])) {
        s.ptr++;
        s.len--;
    }
    while (s.len && strchr(" \t\r\n", s.ptr[s.len - 1]))
        s.len--;
    return s;
}

/* Takes a word off the end if it is there, behind white space. */
static bool drop_word(lake_str *s, const char *word) {
    size_t n = strlen(word);
    if (s->len <= n || strncasecmp(s->ptr + s->len - n, word, n) != 0 || !strchr(" \t\r\n)", s->ptr[s->len - n - 1]))
        return false;
    *s = trim((lake_str){s->ptr, s->len - n});
    return true;
}

static bool drop_nulls(lake_str *s, const char *which) {
    lake_str rest = *s;
    if (!drop_word(&rest, which) || !drop_word(&rest, "nulls"))
        return false;
    *s = rest;
    return true;
}

static lake_status read_item(
    lake_arena *arena, lake_str item, const lake_schema *schema, lake_sort_field *f, lake_error *err) {
    item = trim(item);
    bool first = drop_nulls(&item, "first"), last = !first && drop_nulls(&item, "last");
    f->descending = drop_word(&item, "desc");
    if (!f->descending)
        drop_word(&item, "asc");
    f->nulls_last = last || (!first && f->descending);
    if (!item.len)
        return lake_fail(err, LAKE_ERR_USAGE, "an item of the sort order is empty");
    /* The term is what a partition field's would be. */
    lake_spec *spec;
    int32_t id = 1000;
    LAKE_TRY_WRAP(lake_spec_from_text(arena, item, schema, 0, &id, &spec, err), err, "sort order");
    f->transform = spec->fields[0].transform;
    f->source_ids = spec->fields[0].source_ids;
    f->nsource_ids = spec->fields[0].nsource_ids;
    return LAKE_OK;
}

/* The end of the first item: a comma outside quotes and parentheses. */
static size_t item_length(lake_str s) {
    int depth = 0;
    bool quoted = false;
    size_t i = 0;
    for (; i < s.len; i++) {
        char c = s.ptr[i];
        if (c == '"')
            quoted = !quoted;
        else if (!quoted && c == ',' && depth <= 0)
            break;
        else if (!quoted)
            depth += (c == '(') - (c == ')');
    }
    return i;
}

lake_status lake_sort_order_from_text(
    lake_arena *arena, lake_str text, const lake_schema *schema, lake_sort_order **out, lake_error *err) {
    *out = NULL;
    text = trim(text);
    if (!text.len)
        return LAKE_OK;
    size_t items = 1;
    for (size_t i = 0; i < text.len; i++)
        items += text.ptr[i] == ',';
    lake_sort_order *order = LAKE_ARENA_NEW(arena, lake_sort_order);
    if (order)
        order->fields = LAKE_ARENA_ARRAY(arena, lake_sort_field, items);
    if (!order || !order->fields)
        return lake_fail_memory(err);
    order->id = 1;
    for (bool more = true; more;) {
        size_t n = item_length(text);
        LAKE_TRY(read_item(arena, (lake_str){text.ptr, n}, schema, &order->fields[order->nfields++], err));
        more = n < text.len;
        text = (lake_str){text.ptr + n + more, text.len - n - more};
    }
    *out = order;
    return LAKE_OK;
}

void lake_name_mapping_print(lake_buffer *out, const lake_type *type) {
    lake_buffer_char(out, '[');
    for (size_t i = 0; i < type->nfields; i++) {
        const lake_field *f = &type->fields[i];
        lake_buffer_printf(out, "%s{\"field-id\":%d,\"names\":[", i ? "," : "", (int)f->id);
        lake_json_quote(out, f->name);
        lake_buffer_char(out, ']');
        if (lake_type_is_nested(&f->type)) {
            lake_buffer_puts(out, ",\"fields\":");
            lake_name_mapping_print(out, &f->type);
        }
        lake_buffer_char(out, '}');
    }
    lake_buffer_char(out, ']');
}
