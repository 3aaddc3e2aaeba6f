#include "cube.h"

#include "slice_extract.h"
#include "sources.h"
#include "viewer_struct.h"

#include <math.h>
#include <string.h>

// A slab of few slices is drawn this thick beside its longest side at least.
static const float THINNEST = 0.35F;

// Where the eye is: beside the face to the right, and above.
static const float TURNED = 0.66F, RAISED = 0.54F; // in radians

// The ways that edges lead from the corner in front; from behind it is the other way round, and the
// eye is below. It sees the faces across them.
enum way { RIGHT, DOWN, LEFT, WAYS };

static const float shades[2][WAYS] = {
    {[RIGHT] = 0.84F, [DOWN] = 0.92F, [LEFT] = 1}, {[RIGHT] = 0.88F, [DOWN] = 0.76F, [LEFT] = 1}};

struct cube {
    struct wp_slice_extract_group group;
    int level;                     // the first one that it shows
    int axis[WAYS];                // of the volume
    bool flip[WP_DIMS_MAX];        // what is in a band is seen backwards along the axis
    int size[WP_DIMS_MAX];         // samples
    float edge[WP_DIMS_MAX][2];    // on the screen: one unit of the view along the axis
    float corner[2];               // the one in front
};

// Patients stand upright here, too: what faces the eye is the front of the head. Of other volumes
// it is the slice that all programs show.
static void face_axes(const struct wp_viewer *v, struct cube *c)
{
    const struct wp_geometry *geometry = &v->source[WP_A].geometry;
    c->axis[RIGHT] = WP_X;
    c->axis[DOWN] = WP_Y;
    c->axis[LEFT] = WP_Z;
    for (int axis = 0; axis < WP_DIMS_MAX; axis++) {
        const struct wp_slice_orientation f = wp_slice_orientation_of(geometry, axis, v->state.radiological);
        const bool sagittal = f.letter[0] == 'A', coronal = !sagittal && f.letter[2] == 'S';
        if (coronal) {
            c->axis[RIGHT] = f.across;
            c->axis[DOWN] = f.down;
            c->axis[LEFT] = f.axis;
        }
        for (int i = 0; i < 2 && (sagittal || coronal); i++)
            c->flip[i ? f.down : f.across] = f.flip[i];
    }
}

// Orthographic: an edge is as long wherever it lies.
static void project(const struct wp_viewer *v, struct cube *c, float extent[2])
{
    const float side = v->state.behind ? -1 : 1;
    const float way[WAYS][2] = {
        [RIGHT] = {side * cosf(TURNED), -sinf(TURNED) * sinf(RAISED)},
        [DOWN] = {0, cosf(RAISED)},
        [LEFT] = {-side * sinf(TURNED), -cosf(TURNED) * sinf(RAISED)},
    };
    float length[WP_DIMS_MAX], longest = 0, least[2] = {0}, most[2] = {0};
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        length[a] = v->slices.unit[a] * (float)c->size[a];
        longest = fmaxf(longest, length[a]);
    }
    for (int w = 0; w < WAYS; w++) {
        const int a = c->axis[w];
        const float stretch = fmaxf(1, THINNEST * longest / length[a]);
        for (int i = 0; i < 2; i++) {
            c->edge[a][i] = stretch * way[w][i];
            least[i] += fminf(0, c->edge[a][i] * length[a]);
            most[i] += fmaxf(0, c->edge[a][i] * length[a]);
        }
    }
    for (int i = 0; i < 2; i++) {
        c->corner[i] = -least[i];
        extent[i] = most[i] - least[i];
    }
}

static struct cube find_cube(const struct wp_viewer *v, float extent[2])
{
    const int depth = wp_description_depth(&v->instance[WP_A].description);
    struct cube c = {.group = wp_slice_extract_find_group(v, v->state.cross[WP_Z] / depth, WP_Z)};
    const struct wp_description *d = &c.group.d;
    const int deepest = wp_description_levels(d); // fewer in a last group of few slices
    c.level = !v->state.behind ? 1 : v->state.level < deepest ? v->state.level : deepest;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        c.size[a] = wp_level_size(a == WP_Z ? wp_description_depth(d) : d->size[a],
                                  wp_slice_extract_shift(d, a, c.level - 1));
    face_axes(v, &c);
    project(v, &c, extent);
    return c;
}

// Which lies across a way: all bands that reach it.
static void add_face(struct wp_viewer *v, struct wp_pane *pane, const struct cube *c, enum way way)
{
    const int axis = c->axis[way];
    const int across = c->axis[way == RIGHT ? LEFT : RIGHT];
    const int down = c->axis[way == DOWN ? LEFT : DOWN];
    const struct wp_slice_orientation orientation = {.axis = axis, .across = across, .down = down,
                                     .flip = {c->flip[across], c->flip[down]}, .name = ""};
    const float far = v->state.behind ? v->slices.unit[axis] * (float)c->size[axis] : 0;
    const struct wp_face face = {
        .origin = {c->corner[0] + far * c->edge[axis][0], c->corner[1] + far * c->edge[axis][1]},
        .across = {c->edge[across][0], c->edge[across][1]},
        .down = {c->edge[down][0], c->edge[down][1]},
        .shade = shades[v->state.behind][way],
    };
    for (int i = 0; i < wp_subband_count(&c->group.d); i++) {
        enum wp_band band;
        const int level = wp_subband_at(&c->group.d, i, &band);
        struct wp_slice_extract extract = wp_slice_extract_of(&c->group, level, band);
        const int first = extract.first[axis] - (axis == WP_Z ? c->group.first : 0);
        const bool reaches = v->state.behind ? first + extract.size[axis] == c->size[axis]
                                             : first == 0;
        if (level < c->level || !reaches || extract.size[axis] == 0)
            continue;
        extract.x = (float)(extract.first[across] - (across == WP_Z ? c->group.first : 0));
        extract.y = (float)(extract.first[down] - (down == WP_Z ? c->group.first : 0));
        extract.arranged = true;
        wp_slice_extract_slice(&c->group, &extract, axis);
        struct wp_tile *tile = wp_slice_extract_add(v, pane, &orientation, &extract);
        if (tile)
            tile->face = face;
    }
}

void wp_cube_add(struct wp_viewer *v, struct wp_pane *pane)
{
    const struct cube c = find_cube(v, pane->extent);
    pane->alone = pane->solid = true;
    for (int way = 0; way < WAYS; way++)
        add_face(v, pane, &c, (enum way)way);
}
