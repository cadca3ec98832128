/* Bounding boxes of geometries and geographies in WKB (spec.md, "Bounds for Geometry and Geography", Appendix D;
   OpenGIS Simple Feature Access, ISO WKB with XY, XYZ, XYM, XYZM; the flags of EWKB are understood). */
#ifndef LAKE_FORMAT_GEOMETRY_H
#define LAKE_FORMAT_GEOMETRY_H

#include "base/base.h"

/* X, Y, Z, M; NaN: no value seen. */
typedef struct lake_box {
    double lower[4], upper[4];
} lake_box;

void lake_box_init(lake_box *box);
/* Widens the box by a value. NaN coordinates are skipped. A geography that has edges is taken to reach around the
   whole globe in X and Y: they are no straight lines, and may cross the antimeridian or a pole. False: the value is no
   WKB that is understood (curves are not), or a geography leaves the canonical ranges; the box is then of no use. */
bool lake_box_add(lake_box *box, lake_bytes wkb, bool geography);
void lake_box_join(lake_box *box, const lake_box *other);
/* A corner in the form of bounds: x, y, z, m as little-endian doubles, those at the end that are absent left out, z as
   NaN if there is only m. Up to 32 bytes of `out`; 0: no box, since X or Y has no value. */
size_t lake_box_corner(const lake_box *box, bool upper, uint8_t out[32]);

#endif
