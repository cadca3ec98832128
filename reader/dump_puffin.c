/* The footer of a Puffin file: what blobs there are. Its JSON is given as it is. */
#include "reader/dump_internal.h"
#include "reader/puffin.h"

lake_status lake_dump_puffin(lake_arena *arena, lake_file *file, lake_dump_out *out, lake_error *err) {
    lake_str text;
    lake_json *json;
    LAKE_TRY(lake_puffin_footer(arena, file, &text, err));
    LAKE_TRY(lake_json_parse(arena, text, "Puffin footer", &json, err));
    lake_json_print(&out->piece, json, 0);
    return LAKE_OK;
}
