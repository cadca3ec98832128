/* Finding a file's fields in a schema by their names (spec.md, "Column Projection", "Name Mapping Serialization"). */
#ifndef LAKE_READER_NAME_MAPPING_H
#define LAKE_READER_NAME_MAPPING_H

#include "format/type.h"

/* The field of `t` that a file calls `name`, or NULL; *nested: the mapping of what is inside it. mapped: `mapping`, a
   list of mapped fields (or NULL: none), says which; else the fields' own names do. `hint`: where it probably is. */
const lake_field *lake_name_match(
    bool mapped, const lake_type *t, const lake_json *mapping, lake_str name, size_t hint, const lake_json **nested);

#endif
