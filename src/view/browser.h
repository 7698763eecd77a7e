// A browser without a window, driven through its debugging pipe (Chrome DevTools Protocol): JSON
// texts that end with a zero byte, on descriptors 3 and 4 of the browser.
#ifndef TD_BROWSER_H
#define TD_BROWSER_H

#include "base/base.h"

typedef struct td_browser td_browser;

// Start one with a page of this size [pixels].  On failure *browser is NULL and `message` tells
// why.
td_status td_browser_open(int width, int height, td_browser** browser, char* message, size_t size);
void td_browser_close(td_browser* browser);

// Load a file and wait until the JavaScript expression `ready` is true there.
td_status td_browser_load(td_browser* browser, const char* path, const char* ready);
// The value of an expression that is a number or a boolean.
td_status td_browser_number(td_browser* browser, const char* expression, double* value);
// Take a picture of the page, as "png" or "jpeg"; *bytes is to be freed.
td_status td_browser_picture(td_browser* browser, const char* format, unsigned char** bytes,
                             size_t* n);
const char* td_browser_error(const td_browser* browser);  // message of the last failure

#endif
