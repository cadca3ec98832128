/* Compiles an Avro writer schema into a program (program.h). Fields are matched by id; a field without an id by its
   name (spec.md, Appendix A, "Field IDs"; cases I5, I10). Types may differ in ways that Avro's encoding does not show
   (int for long, string for bytes); what cannot be read is an error here, not while reading. */
#include "manifest/program.h"

typedef struct compiler {
    lake_arena *arena;
    const lake_spec *spec;
    lake_program *program;
    lake_error *err;
} compiler;

static lake_status compile_fields(
    compiler *c, const lake_avro_type *record, const lake_slot *slots, size_t nslots, const lake_op **out, size_t *n);
static lake_status compile_type(compiler *c, const lake_avro_type *type, const lake_slot *slot, lake_op *op);

static lake_status unfit(compiler *c, const lake_avro_type *type, const lake_slot *slot) {
    return lake_fail(c->err, LAKE_ERR_MALFORMED, "field %d %s cannot be read from the Avro type %s", slot->id,
        slot->name, lake_avro_kind_name(type->kind));
}

static bool is_varint(const lake_avro_type *t) {
    return t->kind == LAKE_AVRO_INT || t->kind == LAKE_AVRO_LONG || t->kind == LAKE_AVRO_ENUM;
}
static bool is_sized(const lake_avro_type *t) {
    return t->kind == LAKE_AVRO_BYTES || t->kind == LAKE_AVRO_STRING;
}

/* How to get past a value of the type. */
static void set_skip(lake_op *op, const lake_avro_type *type) {
    op->type = type;
    if (type->empty) {
        op->skip = LAKE_OP_NOTHING;
    } else if (is_varint(type)) {
        op->skip = LAKE_OP_SKIP_VARINT;
    } else if (is_sized(type)) {
        op->skip = LAKE_OP_SKIP_SIZED;
    } else if (type->kind == LAKE_AVRO_BOOLEAN || type->kind == LAKE_AVRO_FLOAT || type->kind == LAKE_AVRO_DOUBLE ||
        type->kind == LAKE_AVRO_FIXED) {
        op->skip = LAKE_OP_SKIP_FIXED;
        op->size = (uint32_t)type->min_size;
    } else {
        op->skip = LAKE_OP_SKIP_ANY;
        const lake_avro_type *item = type->kind == LAKE_AVRO_ARRAY ? type->branches[0] : NULL;
        bool pair = item && item->kind == LAKE_AVRO_RECORD && item->count == 2 && is_varint(item->fields[0].type);
        if (item && (is_varint(item) || (pair && is_varint(item->fields[1].type)))) {
            op->skip = LAKE_OP_SKIP_VARINTS;
            op->size = pair ? 2 : 1;
        } else if (pair && is_sized(item->fields[1].type)) {
            op->skip = LAKE_OP_SKIP_SIZED_PAIRS;
        }
    }
}

static lake_status new_ops(compiler *c, size_t n, lake_op **out) {
    *out = LAKE_ARENA_ARRAY(c->arena, lake_op, n);
    return *out ? LAKE_OK : lake_fail_memory(c->err);
}

/* A metrics map: an array of {key, value} records, with or without the logical type, or an Avro map with string keys.
 */
static lake_status compile_pairs(compiler *c, const lake_avro_type *type, const lake_slot *slot, lake_op *op) {
    const lake_avro_type *item = type->branches[0];
    op->code = LAKE_OP_PAIRS;
    if (type->kind == LAKE_AVRO_MAP) {
        lake_op *value;
        LAKE_TRY(new_ops(c, 1, &value));
        op->ops = value;
        op->nops = 1;
        return compile_type(c, item, &slot->fields[1], value);
    }
    if (item->kind != LAKE_AVRO_RECORD)
        return unfit(c, type, slot);
    LAKE_TRY(compile_fields(c, item, slot->fields, slot->nfields, &op->ops, &op->nops));
    op->fast = op->nops == 2 && op->ops[0].slot == &slot->fields[0] && op->ops[0].code == LAKE_OP_LONG &&
        op->ops[0].null_branch < 0 && op->ops[1].slot == &slot->fields[1] && op->ops[1].null_branch < 0 &&
        op->ops[1].code == (slot->kind == LAKE_SLOT_COUNTS ? LAKE_OP_LONG : LAKE_OP_SIZED);
    return LAKE_OK;
}

static lake_status compile_list(compiler *c, const lake_avro_type *type, const lake_slot *slot, lake_op *op) {
    const lake_avro_type *item = type->branches[0];
    op->code = LAKE_OP_LIST;
    if (slot->kind != LAKE_SLOT_SUMMARIES) {
        lake_op *value;
        LAKE_TRY(new_ops(c, 1, &value));
        op->ops = value;
        op->nops = 1;
        op->fast = is_varint(item);
        return compile_type(c, item, &slot->fields[0], value);
    }
    if (item->kind == LAKE_AVRO_UNION) { /* 508 element: required, but some write it as a union */
        const lake_avro_type *of = NULL;
        for (size_t i = 0; i < item->count; i++)
            if (item->branches[i]->kind == LAKE_AVRO_RECORD)
                of = item->branches[i];
        if (!of)
            return unfit(c, type, slot);
        lake_op *value;
        LAKE_TRY(new_ops(c, 1, &value));
        op->ops = value;
        op->nops = 1;
        return compile_type(c, item, &slot->fields[0], value);
    }
    if (item->kind != LAKE_AVRO_RECORD)
        return unfit(c, type, slot);
    return compile_fields(c, item, slot->fields[0].fields, slot->fields[0].nfields, &op->ops, &op->nops);
}

static lake_status compile_datum(compiler *c, const lake_avro_type *type, const lake_slot *slot, lake_op *op) {
    op->code = LAKE_OP_DATUM;
    if (type->kind > LAKE_AVRO_FIXED)
        return lake_fail(c->err, LAKE_ERR_UNSUPPORTED, "partition field %d %s has the Avro type %s", slot->id,
            slot->name, lake_avro_kind_name(type->kind));
    if (type->logical.ptr && lake_str_ends(type->logical, LAKE_STR("-millis")))
        return lake_fail(c->err, LAKE_ERR_UNSUPPORTED, "partition field %d %s is written in milliseconds (%.*s)",
            slot->id, slot->name, LAKE_ARG(type->logical));
    return LAKE_OK;
}

/* The name that a partition field had before it was made a legal Avro name. */
static bool partition_name_is(const lake_avro_field *field, lake_str name) {
    const lake_json *original = lake_json_get(field->json, "iceberg-field-name");
    return lake_str_eq(field->name, name) ||
        (lake_json_is(original, LAKE_JSON_STRING) && lake_str_eq(original->text, name));
}

/* The place of a file's partition field in the spec; spec->nfields if it has none there. */
static size_t partition_index(const lake_spec *spec, const lake_avro_field *field) {
    for (size_t i = 0; i < spec->nfields; i++)
        if (spec->fields[i].id == field->id)
            return i;
    for (size_t i = 0; field->id < 0 && i < spec->nfields; i++)
        if (partition_name_is(field, spec->fields[i].name))
            return i;
    return spec->nfields;
}

static lake_status partition_slot(compiler *c, const lake_avro_type *record, size_t at, size_t index, lake_slot **out) {
    lake_slot *slot = LAKE_ARENA_NEW(c->arena, lake_slot);
    lake_str name = record->fields[at].name;
    name = lake_arena_str(c->arena, name.ptr, name.len);
    if (!slot || !name.ptr)
        return lake_fail_memory(c->err);
    slot->id = record->fields[at].id;
    slot->name = name.ptr;
    slot->kind = LAKE_SLOT_DATUM;
    slot->group = LAKE_GROUP_ALWAYS;
    slot->offset = (uint32_t)(index * sizeof(lake_datum));
    *out = slot;
    return LAKE_OK;
}

/* A field that the tuple lacks would read as null, and nulls prune. A void one is null anyway, and an unknown transform
   never prunes. */
static lake_status check_partition(compiler *c, const lake_avro_type *record) {
    for (size_t i = 0; c->spec && i < c->spec->nfields; i++) {
        const lake_partition_field *f = &c->spec->fields[i];
        size_t at = 0;
        while (at < record->count && partition_index(c->spec, &record->fields[at]) != i)
            at++;
        if (at == record->count && f->transform.id != LAKE_TRANSFORM_VOID && f->transform.id != LAKE_TRANSFORM_UNKNOWN)
            return lake_fail(c->err, LAKE_ERR_MALFORMED,
                "field 102 partition of the Avro schema lacks field %d %.*s of partition spec %d", f->id,
                LAKE_ARG(f->name), c->spec->id);
    }
    return LAKE_OK;
}

static lake_status compile_partition(compiler *c, const lake_avro_type *type, const lake_slot *slot, lake_op *op) {
    if (type->kind != LAKE_AVRO_RECORD)
        return unfit(c, type, slot);
    size_t n = c->spec ? c->spec->nfields : type->count;
    lake_op *ops;
    LAKE_TRY(check_partition(c, type));
    LAKE_TRY(new_ops(c, type->count, &ops));
    for (size_t i = 0; i < type->count; i++) {
        size_t index = c->spec ? partition_index(c->spec, &type->fields[i]) : i;
        lake_slot *field = NULL;
        if (index < n)
            LAKE_TRY(partition_slot(c, type, i, index, &field));
        LAKE_TRY(compile_type(c, type->fields[i].type, field, &ops[i]));
    }
    op->code = LAKE_OP_PARTITION;
    op->ops = ops;
    op->nops = type->count;
    c->program->npartition = n;
    return LAKE_OK;
}

static lake_status compile_union(compiler *c, const lake_avro_type *type, const lake_slot *slot, lake_op *op) {
    lake_op *ops;
    LAKE_TRY(new_ops(c, type->count, &ops));
    for (size_t i = 0; i < type->count; i++) {
        LAKE_TRY(compile_type(c, type->branches[i], slot, &ops[i]));
    }
    op->code = LAKE_OP_UNION;
    op->ops = ops;
    op->nops = type->count;
    return LAKE_OK;
}

static lake_status compile_value(compiler *c, const lake_avro_type *type, const lake_slot *slot, lake_op *op) {
    lake_avro_kind k = type->kind;
    bool list = k == LAKE_AVRO_ARRAY, ok = true;
    if (k == LAKE_AVRO_NULL) {
        op->code = LAKE_OP_NULL;
        return LAKE_OK;
    }
    switch ((lake_slot_kind)slot->kind) {
    case LAKE_SLOT_LONG: op->code = LAKE_OP_LONG, ok = is_varint(type) && k != LAKE_AVRO_ENUM; break;
    case LAKE_SLOT_INT: op->code = LAKE_OP_INT, ok = is_varint(type) && k != LAKE_AVRO_ENUM; break;
    case LAKE_SLOT_SMALL: op->code = LAKE_OP_SMALL, ok = is_varint(type) && k != LAKE_AVRO_ENUM; break;
    case LAKE_SLOT_FLAG: op->code = LAKE_OP_FLAG, ok = k == LAKE_AVRO_BOOLEAN; break;
    case LAKE_SLOT_VIEW:
        op->code = k == LAKE_AVRO_FIXED ? LAKE_OP_FIXED : LAKE_OP_SIZED;
        op->size = (uint32_t)type->min_size;
        ok = k == LAKE_AVRO_FIXED || is_sized(type);
        break;
    case LAKE_SLOT_DATUM: return compile_datum(c, type, slot, op);
    case LAKE_SLOT_RECORD:
        op->code = LAKE_OP_RECORD;
        return k == LAKE_AVRO_RECORD ? compile_fields(c, type, slot->fields, slot->nfields, &op->ops, &op->nops)
                                     : unfit(c, type, slot);
    case LAKE_SLOT_PARTITION: return compile_partition(c, type, slot, op);
    case LAKE_SLOT_COUNTS:
    case LAKE_SLOT_BOUNDS: return list || k == LAKE_AVRO_MAP ? compile_pairs(c, type, slot, op) : unfit(c, type, slot);
    case LAKE_SLOT_LONGS:
    case LAKE_SLOT_INTS:
    case LAKE_SLOT_SUMMARIES: return list ? compile_list(c, type, slot, op) : unfit(c, type, slot);
    }
    return ok ? LAKE_OK : unfit(c, type, slot);
}

/* slot NULL: only to get past it. */
static lake_status compile_type(compiler *c, const lake_avro_type *type, const lake_slot *slot, lake_op *op) {
    op->null_branch = -1;
    if (type->kind == LAKE_AVRO_UNION && type->count == 2) {
        bool first = type->branches[0]->kind == LAKE_AVRO_NULL, second = type->branches[1]->kind == LAKE_AVRO_NULL;
        if (first != second) {
            op->null_branch = first ? 0 : 1;
            type = type->branches[first];
        }
    }
    set_skip(op, type);
    if (!slot) {
        op->code = op->skip;
        return LAKE_OK;
    }
    op->slot = slot;
    op->group = slot->group;
    op->offset = slot->offset;
    op->has = slot->kind == LAKE_SLOT_COUNTS ? 0 : slot->has; /* there it names the count */
    op->required = slot->required || (slot->kind == LAKE_SLOT_PARTITION && c->spec && c->spec->nfields);
    return type->kind == LAKE_AVRO_UNION ? compile_union(c, type, slot, op) : compile_value(c, type, slot, op);
}

static const lake_slot *find_slot(const lake_avro_field *field, const lake_slot *slots, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (field->id >= 0 ? field->id == slots[i].id
                           : lake_str_is(field->name, slots[i].name) ||
                    (slots[i].alias && lake_str_is(field->name, slots[i].alias)))
            return &slots[i];
    }
    return NULL;
}

static bool is_filled(const lake_op *ops, size_t n, const lake_slot *slot) {
    for (size_t i = 0; i < n; i++)
        if (ops[i].slot == slot)
            return true;
    return false;
}

static lake_status compile_fields(
    compiler *c, const lake_avro_type *record, const lake_slot *slots, size_t nslots, const lake_op **out, size_t *n) {
    lake_op *ops;
    LAKE_TRY(new_ops(c, record->count, &ops));
    for (size_t i = 0; i < record->count; i++) {
        const lake_slot *slot = find_slot(&record->fields[i], slots, nslots);
        if (slot && is_filled(ops, i, slot))
            return lake_fail(c->err, LAKE_ERR_MALFORMED, "the Avro schema has field %d %s twice", slot->id, slot->name);
        LAKE_TRY(compile_type(c, record->fields[i].type, slot, &ops[i]));
    }
    for (size_t i = 0; i < nslots; i++)
        if (slots[i].required && !is_filled(ops, record->count, &slots[i]))
            return lake_fail(c->err, LAKE_ERR_MALFORMED, "the Avro schema %.*s lacks the required field %d %s",
                LAKE_ARG(record->name), slots[i].id, slots[i].name);
    *out = ops;
    *n = record->count;
    return LAKE_OK;
}

static bool has_field(const lake_avro_type *record, int32_t id, const char *name) {
    for (size_t i = 0; i < record->count; i++) {
        const lake_avro_field *f = &record->fields[i];
        if (f->id == id || (f->id < 0 && lake_str_is(f->name, name)))
            return true;
    }
    return false;
}

lake_status lake_program_compile(lake_arena *arena, const lake_avro_type *record, const lake_slot *slots, size_t nslots,
    const lake_spec *spec, lake_program *out, lake_error *err) {
    compiler c = {.arena = arena, .spec = spec, .program = out, .err = err};
    *out = (lake_program){0};
    if (record->kind != LAKE_AVRO_RECORD)
        return lake_fail(
            err, LAKE_ERR_MALFORMED, "the Avro schema is no record but %s", lake_avro_kind_name(record->kind));
    out->has_sequence_numbers = has_field(record, 3, "sequence_number");
    LAKE_TRY(compile_fields(&c, record, slots, nslots, &out->ops, &out->nops));
    if (spec && spec->nfields > out->npartition) /* null values would prove what nobody said */
        return lake_fail(err, LAKE_ERR_MALFORMED, "the Avro schema lacks field 102 partition");
    return LAKE_OK;
}
