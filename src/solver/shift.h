// Random shifts for cycle spinning.
#ifndef WP_SHIFT_H
#define WP_SHIFT_H

// The shift of iteration `number`, in samples along each axis.
void wp_shift_at(unsigned long long seed, int number, const int size[3], int shift[3]);

#endif
