// Pictures of the image, the coefficients, the inverse and intermediate results.
#include "page.h"
#include "page_internal.h"

#include "paint.h"
#include "operand.h"

// Describes a picture of planes of the given size; `picture` is NULL if it could not be allocated.
static struct paint begin_picture(const float *samples_of, int width, int height, ptrdiff_t step)
{
    struct paint picture = {
        .samples = samples_of,
        .planes = page_image()->planes,
        .step = step,
        .plane = (ptrdiff_t)width * height * step,
        .width = width,
        .picture = page_picture(width, height),
    };
    return picture;
}

static const unsigned char *draw_plain(const float *from)
{
    const struct paint picture = begin_picture(from, page_width(), page_height(), 1);
    if (picture.picture)
        paint(&picture, 0, 0, page_width(), page_height(), (struct paint_range){0, 1});
    return picture.picture;
}

const unsigned char *page_draw_image(void)
{
    return page_image() ? draw_plain(page_image()->plane[0]) : NULL;
}

const unsigned char *page_draw_inverse(int number)
{
    const struct page_transform *transform = page_find_transform(number, 1);
    if (!transform || (!transform->is_current && !page_inverse(number)))
        return NULL;
    return draw_plain(transform->result);
}

const unsigned char *page_draw_bands(int number, double gain)
{
    const float *from = page_coefficients(number);
    if (!from)
        return NULL;
    const struct paint picture = begin_picture(from, page_width(), page_height(), 1);
    const struct paint_range details = {(float)(-.5 / gain), (float)(.5 / gain)};
    const struct wp_subband low =
        wp_subband_describe(&page_find_transform(number, 0)->description, 0);
    const int width = low.grid.size[0], height = low.grid.size[1];
    if (!picture.picture)
        return NULL;
    paint(&picture, 0, 0, width, height, (struct paint_range){0, 1});
    paint(&picture, width, 0, page_width() - width, height, details);
    paint(&picture, 0, height, page_width(), page_height() - height, details);
    return picture.picture;
}

const unsigned char *page_draw_step(int component, double black, double white)
{
    struct wp_rect domain;
    const float *quads = page_step_quads(&domain);
    if (!quads)
        return NULL;
    const struct paint picture = begin_picture(quads + component, domain.width, domain.height, 4);
    if (picture.picture)
        paint(&picture, 0, 0, domain.width, domain.height,
              (struct paint_range){(float)black, (float)white});
    return picture.picture;
}
