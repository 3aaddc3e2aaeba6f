// The contents of frames: the open panels, controls with their positions, the report for scripts,
// and a hash. From them follow the functions of ui.h on keyboard focus and changes.
#ifndef WP_UI_RECORD_H
#define WP_UI_RECORD_H

#include "toolkit.h"

void wp_record_begin(void); // a frame
void wp_record_end(void);
void wp_record_clear(void); // frees the memory and leaves panels

// Panels may be nested.
void wp_record_open(const char *panel);
void wp_record_close(void);

bool wp_record_reports(void); // reports are enabled
// Adds a line to the report.
void wp_record_line(const char *kind, float x, float y, float width, float height,
                    const char *text);
// The same, with the position of the latest item.
void wp_record_item(const char *kind, const char *text);
// Registers the latest item as a control; its name is the part after "###", if any.
void wp_record_control(const char *label, const char *value);
void wp_record_move_control(float x, float y); // the latest one; for clicks of scripts

// The hash of a frame, which wp_ui_changed() compares with that of the latest one.
void wp_record_hash_begin(void);
void wp_record_hash_add(const void *data, size_t size);

// Continues to enter a panel; call at the begin of a frame.
void wp_record_continue_entering(void);
bool wp_record_closes_lists(void); // in this frame

#endif
