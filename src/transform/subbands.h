// Subbands of a description: their numbers, names and positions.
#ifndef WP_SUBBANDS_H
#define WP_SUBBANDS_H

#include "packets.h"

// Subbands of a description, in this order: LL of the last level, then HL, LH and HH of each level
// from the last one to the first. Without levels there is one, the samples. For volumes LLL, then
// HLL, LHL, HHL, LLH, … as far as the axes have that level. Redundant
// banks have only bands of axes that levels transform: 1 + levels for a signal. The starlet has C,
// then one band W a level, which is high-pass along all of its axes. Those of packets are the leaves
// of the tree in preorder (packets.h).
int wp_subband_count(const struct wp_description *description);
int wp_subband_number(const struct wp_description *description, int level, enum wp_band band);

// The level and the band of subband number `index`, for dyadic descriptions, not of packets.
int wp_subband_at(const struct wp_description *description, int index, enum wp_band *band);

// Describes subband number `index`, for any description. Spatial-temporal ones have all subbands of
// the plane for the low band along z, then for the high bands from the last level to the first.
struct wp_subband {
    const char *letters; // "HL", "HLL", "HL.H", "W"; "" for packets
    enum wp_band band;   // bit a is set if it is high-pass along axis a, of packets in any level
    int level, level_z;  // equal unless spatial-temporal
    struct wp_band_grid grid;
    char node[WP_PACKET_NAME_SIZE]; // the name of packets, "aad"; else ""
    unsigned index[WP_DIMS_MAX];    // of packets (struct wp_packet)
};
struct wp_subband wp_subband_describe(const struct wp_description *description, int index);

// "HL2", "HLL1", "HL2.H1", "aad".
enum { WP_BAND_NAME_SIZE = WP_PACKET_NAME_SIZE };
void wp_subband_name(const struct wp_subband *band, char name[WP_BAND_NAME_SIZE]);

// The position of a band in the array of coefficients, for dyadic descriptions, not of packets; see
// wp_band_grid().
// An axis with fewer levels than `level` has its last one. Level 0: the samples.
struct wp_band_grid wp_description_band(const struct wp_description *description, int level,
                                        enum wp_band band);

#endif
