// The "done" buttons: a short press when it ends, a long one while it is held.
#ifndef BUTTONS_H
#define BUTTONS_H

#include <stdint.h>

void buttons_start(void);
void buttons_step(void); // call often; says what was pressed to protocol_event()

#endif
