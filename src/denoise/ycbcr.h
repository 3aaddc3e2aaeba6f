// Conversion of R, G and B to Y, Cb and Cr (ITU-R BT.601). Internal to this layer.
#ifndef WP_YCBCR_H
#define WP_YCBCR_H

enum { WP_YCBCR_PLANES = 3 };

// Converts `n` samples in place: red, green and blue to Y, Cb and Cr, and back.
void wp_ycbcr_from_rgb(float *r, float *g, float *b, int n);
void wp_ycbcr_to_rgb(float *y, float *cb, float *cr, int n);

// The standard deviation of Y (0), Cb or Cr for independent noise of 1 in red, green and blue.
double wp_ycbcr_noise(int plane);

#endif
