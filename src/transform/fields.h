// The parameters of a transform that are one of several words, each in one row. A row generates the
// member of struct wp_description, the option of the command line, the axis and the row key of
// `bench`, and the entry of metadata files and JSON; only the code that computes a word is not
// here.
//
// A row X(border, BORDER, "symmetric", "boundary extension mode") requires
//     a member `const char *border` of struct wp_transform_params,
//     enum wp_border with WP_BORDER_COUNT values, the first one the default, and
//     their names, wp_border_names[].
#ifndef WP_FIELDS_H
#define WP_FIELDS_H

// Groups are options of different commands.
#define WP_FIELDS_LEVELS(X) \
    X(border, BORDER, "symmetric", "boundary extension mode") \
    X(norm, NORM, "jpeg2000", "normalization of the coefficients")
#define WP_FIELDS_ARRAY(X) \
    X(layout, LAYOUT, "mallat", "arrangement of the coefficients") \
    X(bank, BANK, "decimated", \
      "filter bank: decimated; packets, which split high bands, too; or redundant ones whose bands " \
      "all have the size of the image: undecimated (a trous, SWT), or starlet (isotropic, B3 " \
      "spline)")
#define WP_FIELDS_DEVICE(X) \
    X(precision, PRECISION, "f32", \
      "sample storage format on the device; f16 needs half the memory")
#define WP_FIELDS_VOLUME(X) \
    X(decomposition, DECOMPOSITION, "dyadic", \
      "volumes: all axes level by level, or all levels of each slice before those along the third " \
      "axis")

// Fields of a dyadic transform, the axes of `bench`; and all, in the order of keys and messages.
#define WP_FIELDS_DYADIC(X) \
    WP_FIELDS_LEVELS(X) \
    WP_FIELDS_ARRAY(X) \
    WP_FIELDS_DEVICE(X)
#define WP_FIELDS(X) \
    WP_FIELDS_DYADIC(X) \
    WP_FIELDS_VOLUME(X)

#define WP_FIELD_NUMBER(member, NAME, word, help) WP_FIELD_##NAME,
enum wp_field {
    WP_FIELDS(WP_FIELD_NUMBER) WP_FIELD_COUNT,
    WP_FIELD_DYADIC = WP_FIELD_DECOMPOSITION
};
#undef WP_FIELD_NUMBER

// Sets of fields, bits by enum wp_field.
#define WP_FIELD_BIT(member, NAME, word, help) | 1U << WP_FIELD_##NAME
enum {
    WP_FIELD_SET_COEFFICIENTS = 0U WP_FIELDS_LEVELS(WP_FIELD_BIT) WP_FIELDS_ARRAY(WP_FIELD_BIT),
    WP_FIELD_SET_VOLUME = 0U WP_FIELDS_VOLUME(WP_FIELD_BIT), // only for volumes
    WP_FIELD_SET_COMPUTED = WP_FIELD_SET_COEFFICIENTS | WP_FIELD_SET_VOLUME, // change the result
    WP_FIELD_SET_IMAGE = 0U WP_FIELDS_DYADIC(WP_FIELD_BIT),
    WP_FIELD_SET_ALL = 0U WP_FIELDS(WP_FIELD_BIT),
    // Left out of metadata at their defaults, as in files of versions that did not have them.
    WP_FIELD_SET_OPTIONAL = 1U << WP_FIELD_BANK,
};
#undef WP_FIELD_BIT

#endif
