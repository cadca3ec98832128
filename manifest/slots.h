/* The fields of manifests and manifest lists that are read, as tables (slots.c). */
#ifndef LAKE_MANIFEST_SLOTS_H
#define LAKE_MANIFEST_SLOTS_H

#include "manifest/program.h"

extern const lake_slot lake_entry_slots[]; /* into lake_entry */
extern const size_t lake_entry_nslots;
extern const lake_slot lake_line_slots[]; /* into lake_manifest_file */
extern const size_t lake_line_nslots;

/* The spec's name of a field of an entry, a data file, a list line or a summary; NULL if the id is none of theirs. */
const char *lake_slot_name(int32_t id);

#endif
