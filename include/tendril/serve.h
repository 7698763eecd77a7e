// What `tendril serve` and a controller in another process exchange: packets over UDP on 127.0.0.1,
// or a block of shared memory (docs/realtime.md).  Numbers are those of the machine: both processes
// run on it.  There is nothing to link: these are layouts.
//
// A controller sends a request, inputs (nu) behind it, whenever it likes; the newest one before a
// step is held during that step.  After each step the server sends a reply to the controller whose
// request was the last: sensors, q, v and z behind it.
#ifndef TENDRIL_SERVE_H
#define TENDRIL_SERVE_H

#include <stdint.h>

#define TD_SERVE_MAGIC 0x4c445254u  // "TRDL"
#define TD_SERVE_VERSION 1

enum {
  TD_SERVE_INPUTS = 1,  // request: hold these inputs
  TD_SERVE_RESET = 2,   // request: begin anew at the initial state, with these inputs
  TD_SERVE_STOP = 3,    // request: end the server
  TD_SERVE_STATE = 4,   // reply: the state after a step
  TD_SERVE_FAILED = 5,  // reply: the plant failed; its last state, and the server ends
};

// A request, followed by nu doubles.  (Fixed.)
typedef struct td_serve_request {
  uint32_t magic;  // TD_SERVE_MAGIC
  uint16_t version, kind;
  uint64_t sequence;  // of the controller: grows by its packets; older ones that arrive late are
                      // left out
  uint32_t nu;        // how many inputs follow
  uint32_t zero;
} td_serve_request;

// A reply, followed by nsensor + nq + nv + nz doubles.  (Fixed.)
typedef struct td_serve_reply {
  uint32_t magic;
  uint16_t version, kind;
  uint64_t step;      // steps since the start
  uint64_t answered;  // sequence of the request whose inputs were held
  uint64_t missed;    // deadlines missed so far
  double t;           // time of the plant [s]
  uint32_t nsensor, nq, nv, nz;
} td_serve_reply;

// The beginning of the shared memory /NAME, followed by doubles: inputs (nu), which the controller
// writes, and sensors, q, v, z, which the server writes.  A guard is made odd before a side is
// written and even (by one more) afterwards; who reads takes the numbers when the guard was even
// and has not changed meanwhile.  (Fixed.)
typedef struct td_serve_shared {
  uint32_t magic;
  uint16_t version;
  uint16_t ended;  // 1: the server has ended
  uint32_t nu, nsensor, nq, nv, nz;
  uint32_t zero;
  uint64_t input_guard;     // the controller's side: guard, kind of request, its sequence
  uint64_t input_kind;      // TD_SERVE_INPUTS, TD_SERVE_RESET or TD_SERVE_STOP
  uint64_t input_sequence;  //
  uint64_t output_guard;    // the server's side, as in a reply
  uint64_t step, answered, missed;
  double t;
} td_serve_shared;

#endif
