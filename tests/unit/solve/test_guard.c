// What acts on one side only is met by every solver at every tolerance and length of the run:
// contacts, stops, links with dir, ropes, max, ifelse and abs in forces.
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "model/model.h"
#include "robot.h"
#include "solve/time/motion.h"
#include "tendril/control.h"

typedef struct outcome {
  double q[14], v[12], energy_error, energy;
  td_sim_stats stats;
} outcome;

// The velocity error of one collision at speed v.  A step may be off by its tolerance: the velocity
// by rtol v, the gap by a share rtol of the depth, which the spring turns into rtol v as well.  A
// touch takes some hundred steps, whose errors may all have the same sign.
static double collision_error(double rtol, double v) { return 200 * rtol * v; }

static outcome run(const char* text, td_solver solver, double rtol, double t_final) {
  robot r = robot_open(text);
  td_sim_options o = td_sim_options_default();
  td_trajectory* out = NULL;
  outcome x = {.energy = 0};
  o.solver = solver;
  o.rtol = rtol;
  o.atol = 1e-3 * rtol;
  o.t_final = t_final;
  o.dt_out = t_final;
  assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &out), TD_OK);
  for (int i = 0; i < r.n.nq; i++) x.q[i] = r.state->q[i];
  for (int i = 0; i < r.n.nv; i++) x.v[i] = r.state->v[i];
  x.stats = *td_trajectory_stats(out);
  x.energy_error = x.stats.energy_error;
  x.energy = x.stats.energy_end;
  td_trajectory_free(out);
  robot_close(&r);
  return x;
}

static const td_solver solvers[] = {TD_SOLVER_EXPLICIT, TD_SOLVER_STIFF, TD_SOLVER_AUTO};

// A mass of 0.2 kg falls from h above a floor that pushes with k per metre of depth.  Between two
// tops it flies 2 √(2h/g) and touches (2/ω) (π - atan(ω v/g)), v = √(2gh), ω = √(k/m).
static double bounce_period(double h, double k) {
  const double g = 9.81, v = sqrt(2 * g * h), w = sqrt(k / 0.2);
  return 2 * v / g + 2 / w * (acos(-1) - atan(w * v / g));
}

static const char* const floors[] = {
    "contact(1).first = body(1); contact(1).second = 'plane'; contact(1).stiffness = %g;",
    "exload(1).exbody = 1; exload(1).ftau = [0 0 %g*max(0, -pos(body(1))(3))];",
    "exload(1).exbody = 1; k = %g; exload(1).ftau = [0 0 ifelse(pos(body(1))(3) < 0, "
    "-k*pos(body(1))(3), 0)];",
    "exload(1).exbody = 1; exload(1).ftau = [0 0 %g/2*(abs(pos(body(1))(3)) - pos(body(1))(3))];",
    ("joint(2).second = 1; joint(2).tr.trans = [0 0 -1]; joint(2).spring.coeff = %g;"
     "joint(2).spring.init = 1; joint(2).dir = -1;"),
    "joint(1).dof(1).spring.coeff = %g; joint(1).dof(1).dir = -1;"};

// After n periods the mass is at the top again; the error of each bounce adds to those before.
static void test_every_kind_of_floor_returns_what_falls_on_it(void** state) {
  (void)state;
  const double heights[] = {0.2, 0.31, 1.3}, stiffness[] = {1e3, 1e5, 1e7};
  for (size_t f = 0; f < sizeof floors / sizeof *floors; f++)
    for (int c = 0; c < 9; c += CHECK_SANITIZED ? 4 : 1) {
      char text[700], floor[300];
      const double h = heights[c / 3], k = stiffness[c % 3], period = bounce_period(h, k);
      snprintf(floor, sizeof floor, floors[f], k);
      snprintf(
          text, sizeof text,
          "world.g = [0 0 -9.81]; body(1).m = 0.2; body(1).I = 1e-4*eye(3);"
          "joint(1).second = 1; joint(1).tr(1).trans = [0 0 inf]; joint(1).dof(1).init = %g; %s",
          h, floor);
      for (int s = 0; s < 2; s++)
        for (int n = 1; n <= (CHECK_SANITIZED ? 4 : 16); n *= 4) {
          const double rtol = s == 0 ? 1e-7 : 1e-8;
          const outcome x = run(text, solvers[s], rtol, n * period);
          // a stiff floor turns an error e of the speed within a bounce into a phase of e/g each:
          // a few thousand tolerances for 16 of them, here with a margin
          if (fabs(x.q[0] - h) > 0.01 * h || fabs(x.v[0]) > 0.05)
            print_error("floor %zu, h %g, k %g, %d bounces, solver %d: z %.6g, v %.3g\n", f, h, k,
                        n, s, x.q[0], x.v[0]);
          assert_true(fabs(x.q[0] - h) < 0.01 * h && fabs(x.v[0]) < 0.05);
        }
    }
}

#define BILLIARD                                                                           \
  "body(1).m = 0.2; body(1).I = 1e-4*eye(3); joint(1).second = 1; joint(1).type = 'free';" \
  "joint(1).tr.trans = [-1.03 0 0]; joint(1).dof(1).rate = 0.7;"                           \
  "body(2).m = 0.2; body(2).I = 1e-4*eye(3); joint(2).second = 2; joint(2).type = 'free';" \
  "contact(1).first = body(1); contact(1).second = body(2); contact(1).ball = 0.02;"       \
  "contact(1).ball2 = 0.03; contact(1).stiffness = 1e4;"

// Equal masses exchange their velocities, however long the run.
static void test_balls_meet_whatever_the_end_of_the_run(void** state) {
  (void)state;
  const double ends[] = {3, 5, 8, 10, 30, 300}, rtol[] = {1e-3, 1e-4, 1e-6, 1e-8, 1e-10};
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 5; j += CHECK_SANITIZED ? 2 : 1)
      for (int s = 0; s < 3; s++) {
        const outcome x = run(BILLIARD, solvers[s], rtol[j], ends[i]);
        const double bound = collision_error(rtol[j], 0.7);
        assert_true(fabs(x.v[0]) < bound);
        assert_true(fabs(x.v[6] - 0.7) < bound);
      }
}

// Small balls at all speeds come back from a sphere, a cylinder and a line of other balls.
static void test_bullets_do_not_pass_through_obstacles(void** state) {
  (void)state;
  const char* const obstacle[] = {
      "contact(1).second = 'sphere'; contact(1).radius = 0.01;",
      "contact(1).second = 'cylinder'; contact(1).axis = [0 1 0]; contact(1).radius = 0.01;",
      "contact(1).second = 'plane'; contact(1).normal = [-1 0 0];",
      ("body(2).m = 1e9; body(2).I = eye(3); joint(2).second = 2; joint(2).tr.trans = [inf 0 0];"
       "contact(1).second = body(2); contact(1).ball2 = 0.01;")};
  const double speed[] = {0.3, 7, 90, 1000};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int s = 0; s < 3; s++)
        for (int slow = 0; slow < 2; slow++) {
          char text[700];
          snprintf(text, sizeof text,
                   "body(1).m = 0.01; body(1).I = 1e-8*eye(3); joint(1).second = 1;"
                   "joint(1).tr(1).trans = [inf 0 0]; joint(1).dof(1).init = -1.234;"
                   "joint(1).dof(1).rate = %g; contact(1).first = body(1); contact(1).ball = 0.004;"
                   "contact(1).stiffness = %g; %s",
                   speed[j], 0.01 * pow(speed[j] / 2e-3, 2), obstacle[i]);
          const outcome x = run(text, solvers[s], 1e-6, (slow ? 40 : 2.7) / speed[j]);
          assert_true(fabs(x.v[0] + speed[j]) < collision_error(1e-6, speed[j]));
        }
}

// ---- every element with every method ----------------------------------------------------------

// A mass of 0.2 kg on a slide comes from x = -1 m with 0.7 m/s; the element pushes it back with
// 1e4 N/m from x = 0 on.
#define SLIDE                                                      \
  "body(1).m = 0.2; body(1).I = 1e-4*eye(3); joint(1).second = 1;" \
  "joint(1).tr.trans = [inf 0 0]; joint(1).dof(1).init = -1; joint(1).dof(1).rate = 0.7; k = 1e4;"
static const struct {
  const char *name, *text;
} elements[] = {
    {"contact with a plane",
     "contact(1).first = body(1); contact(1).second = 'plane'; contact(1).normal = [-1 0 0];"
     "contact(1).stiffness = k;"},
    {"contact with a ball",
     "body(2).m = 1; body(2).I = eye(3); joint(2).second = 2; joint(2).tr.trans = [0.05 0 0];"
     "contact(1).first = body(1); contact(1).second = body(2); contact(1).ball = 0.02;"
     "contact(1).ball2 = 0.03; contact(1).stiffness = k;"},
    {"link that pushes",
     "joint(2).second = 1; joint(2).tr.trans = [1 0 0]; joint(2).spring.coeff = k;"
     "joint(2).spring.init = 1; joint(2).dir = -1;"},
    {"rope",
     "joint(2).second = 1; joint(2).tr.trans = [-2 0 0]; joint(2).spring.coeff = k;"
     "joint(2).spring.init = 2; joint(2).dir = 1;"},
    {"elastic cable",
     "cable(1).via = {0, 1}; cable(1).points = [-2 0 0; 0 0 0]; cable(1).pull = -1;"
     "cable(1).stiffness = k;"},
    {"stop", "joint(1).dof(1).spring.coeff = k; joint(1).dof(1).dir = 1;"},
    {"max", "exload(1).exbody = 1; exload(1).ftau = [-k*max(0, pos(body(1))(1)) 0 0];"},
    {"ifelse",
     "exload(1).exbody = 1; exload(1).ftau = [ifelse(pos(body(1))(1) > 0, "
     "-k*pos(body(1))(1), 0) 0 0];"},
    {"abs",
     "exload(1).exbody = 1; exload(1).ftau = [-k/2*(abs(pos(body(1))(1)) + "
     "pos(body(1))(1)) 0 0];"}};
enum { ELEMENTS = sizeof elements / sizeof *elements };

typedef enum method { EXPLICIT, BDF, RADAU, LEAPFROG, CHOSEN, PLANT, FIXED, METHODS } method;
static const char* const method_names[METHODS] = {"explicit", "BDF",   "Radau",      "leapfrog",
                                                  "auto",     "plant", "fixed steps"};

// The motion of the robot up to t_end by the method.
static void move(robot* r, method how, double rtol, double t_end) {
  td_sim_options o = td_sim_options_default();
  o.rtol = rtol;
  o.atol = 1e-3 * rtol;
  o.t_final = o.dt_out = t_end;
  if (how == FIXED) {
    const double dt = t_end / 37;
    for (int k = 0; k < 37; k++)
      assert_int_equal(td_fixed_step(r->model, r->state, r->work, dt), TD_OK);
  } else if (how == PLANT) {
    td_plant* p = NULL;
    assert_int_equal(td_plant_new(r->model, r->work, r->state, &o, &p), TD_OK);
    assert_int_equal(td_plant_step(p, t_end), TD_OK);
    td_state_copy(r->model, td_plant_state(p), r->state);
    td_plant_free(p);
  } else if (how == RADAU) {
    td_motion* m = NULL;
    td_stepper* s = NULL;
    td_step step;
    assert_int_equal(td_motion_new(r->model, r->work, r->state, o.rtol, o.atol, &m), TD_OK);
    double* y = calloc((size_t)(m->ode.n + m->ode.nquad), sizeof(double));
    assert_int_equal(td_motion_begin(m, r->state, t_end, y), TD_OK);
    m->ode.h_max = t_end / 50;
    assert_int_equal(td_solver_radau.start(&m->ode, 0, y, &s), TD_OK);
    for (double t = 0; t < t_end;) {
      assert_int_equal(td_stepper_step(s, t_end, &step), TD_OK);
      t = step.t;
      memcpy(y, step.y, (size_t)(m->ode.n + m->ode.nquad) * sizeof(double));
      if (step.root) assert_int_equal(td_stepper_restart(s, t, y), TD_OK);
    }
    td_motion_show(m, t_end, y, r->state);
    td_stepper_free(s);
    td_motion_free(m);
    free(y);
  } else {
    const td_solver solver[] = {TD_SOLVER_EXPLICIT, TD_SOLVER_STIFF, TD_SOLVER_AUTO,
                                TD_SOLVER_LEAPFROG, TD_SOLVER_AUTO};
    td_trajectory* out = NULL;
    o.solver = solver[how];
    assert_int_equal(td_simulate(r->model, r->work, r->state, &o, &out), TD_OK);
    td_trajectory_free(out);
  }
}

// It comes back with the speed it had: at t it is at -0.7 (t - 1/0.7 - pi/w), w = sqrt(k/m).
static void test_every_method_meets_every_element(void** state) {
  (void)state;
  const double v = 0.7, t_end = 3, w = sqrt(1e4 / 0.2), x = -v * (t_end - 1 / v - acos(-1) / w);
  const double rtol[] = {1e-3, 1e-5, 1e-7};
  int wrong = 0;
  for (int e = 0; e < ELEMENTS; e++)
    for (int how = 0; how < METHODS; how++)
      for (int sparse = 0; sparse < 2; sparse++)
        for (int i = 0; i < 3; i += CHECK_SANITIZED ? 2 : 1) {
          char text[900];
          snprintf(text, sizeof text, "%s %s %s", SLIDE, elements[e].text,
                   sparse ? "par.linear = 'sparse';" : "");
          robot r = robot_open(text);
          if (sparse && (how == RADAU || !r.model->sparse)) {
            robot_close(&r);
            continue;
          }
          move(&r, (method)how, rtol[i], t_end);
          // parts of fixed steps agree to 1e-6 of the velocity, whatever rtol
          const double bound = collision_error(how == FIXED ? 1e-6 : rtol[i], v);
          const double dv = r.state->v[0] + v, dx = r.state->q[0] - x;
          // the velocity error lasts for the 1.6 s of the way back
          const bool good = fabs(dv) < bound && fabs(dx) < 2 * bound;
          if (!good)
            print_error("%s, %s%s, rtol %g: v off by %.2g, x by %.2g, bound %.2g\n",
                        elements[e].name, method_names[how], sparse ? " sparse" : "", rtol[i], dv,
                        dx, bound);
          wrong += !good;
          robot_close(&r);
        }
  assert_int_equal(wrong, 0);
}

// ---- what time moves --------------------------------------------------------------------------

// A ball of 0.2 kg and radius 20 mm that slides along z rests at 50 mm.  A plane comes up to it and
// goes, a ball of 40 mm does, or turns past it from the side.
#define RESTING                                                                              \
  "body(1).m = 0.2; body(1).I = 1e-4*eye(3); joint(1).second = 1; joint(1).tr.trans = [0 0 " \
  "inf]; joint(1).dof(1).init = 0.05; contact(1).first = body(1); contact(1).ball = 0.02;"   \
  "contact(1).stiffness = 2e4;"
#define MOVED "body(2).m = 1; body(2).I = eye(3); joint(2).second = 2;"
static const struct {
  const char *name, *text;
} visits[] = {
    {"a plane", RESTING
     "contact(1).second = 'plane'; contact(1).point = [0 0 -.4 + .44*exp(-((t - %g)/.3)^2)];"},
    {"a ball",
     RESTING MOVED "joint(2).tr.trans = [0 0 inf]; joint(2).dof(1).motion = -.5 + .5*exp(-((t - "
                   "%g)/.3)^2); contact(1).second = body(2); contact(1).ball2 = .04;"},
    {"a paddle",
     RESTING MOVED "joint(2).tr(1).trans = [0 0 -.6]; joint(2).tr(2).rot = [2 inf]; "
                   "joint(2).dof(1).motion = 2*pi*(t - %g) - pi/2; contact(1).second = body(2); "
                   "contact(1).ball2 = .04; contact(1).points2 = [.62 0 0];"}};
enum { VISITS = sizeof visits / sizeof *visits };

// Its speed afterwards, by steps of 1 us with the force written down: semi-implicit Euler.
static double kicked(int visit) {
  double z = 0.05, v = 0;
  for (double s = -0.4, h = 1e-6; s < 0.4; s += h) {
    const double e = exp(-pow((s + h) / 0.3, 2)), turn = 2 * acos(-1) * (s + h);
    const double x = visit == 2 ? 0.62 * sin(turn) : 0, below = visit == 0 ? -0.4 + 0.44 * e
                                                                : visit == 1
                                                                    ? -0.5 + 0.5 * e
                                                                    : -0.6 + 0.62 * cos(turn);
    const double far = visit == 0 ? z - below : hypot(x, z - below),
                 depth = (visit == 0 ? 0.02 : 0.06) - far;
    if (depth > 0) v += h * 2e4 * depth * (z - below) / far / 0.2;
    z += h * v;
  }
  return v;
}

// However long the run and its steps, and whatever the speeds at their ends.  A paddle meets it
// once, with the side that comes first.
static void test_what_time_moves_meets_what_rests(void** state) {
  (void)state;
  int wrong = 0;
  for (int i = 0; i < VISITS; i++) {
    const double v = kicked(i);
    for (int how = 0; how < METHODS; how++)
      for (int k = 0; k < 6; k += CHECK_SANITIZED ? 4 : 1) {
        // the paddle comes round each second: it meets the ball in the first turn or not
        const double ends[] = {3, 30, 1000}, end = ends[k % 3], rtol = k < 3 ? 1e-4 : 1e-7;
        // what lasts a fourth of a fixed step is seen, and in a plant that goes all the way at
        // once, whose steps have no limit, a thirtieth of one
        if ((how == FIXED || how == PLANT) && end > 100) continue;
        char text[900];
        snprintf(text, sizeof text, visits[i].text, i == 2 ? 0.7 : end / 3);
        robot r = robot_open(text);
        move(&r, (method)how, rtol, end);
        const double bound = 2 * collision_error(how == FIXED ? 1e-6 : rtol, v) + 1e-3 * v;
        const double z = 0.05 + v * (end - (i == 2 ? 0.7 : end / 3));
        // the kick comes 0.1 s before the middle of the visit, or a little after
        const bool good =
            fabs(r.state->v[0] - v) < bound && fabs(r.state->q[0] - z) < 0.2 * v + bound * end;
        if (!good)
          print_error("%s, %s, up to %g s, rtol %g: v %.6g (%.6g), z %.6g (%.6g)\n", visits[i].name,
                      method_names[how], end, rtol, r.state->v[0], v, r.state->q[0], z);
        wrong += !good;
        robot_close(&r);
      }
  }
  assert_int_equal(wrong, 0);
}

// A rod that turns once a second on a heavy hub hits a small ball with its tip in the first turn,
// though steps of a tenth of the run are many turns long.  Where it was missed the ball left a turn
// later.
static void test_a_turning_rod_hits_what_is_in_its_way(void** state) {
  (void)state;
  double first = NAN;
  for (int how = EXPLICIT; how < FIXED; how++)
    for (int i = CHECK_SANITIZED; i < 2; i++) {
      const double rtol = i ? 1e-7 : 1e-4, end = 10;
      robot r = robot_open(
          "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.rot = [2 inf]; "
          "joint(1).dof(1).rate = 2*pi; rod(1).first = 1; rod(1).tr.rot = [2 pi/2]; rod(1).length "
          "= "
          ".5; rod(1).radius = .01; rod(1).E = 1e9; rod(1).rho = 1000; rod(1).n = 2; rod(1).modes "
          "= "
          "[0 0 0 0 1 0]; rod(1).model = 'ebr'; rod(1).eta = 1e6; body(2).m = .1; body(2).I = "
          "1e-5*eye(3); joint(2).second = 2; joint(2).tr(1).trans = [.1 0 .5]; "
          "joint(2).tr(2).trans "
          "= [inf inf inf]; contact(1).first = rod(1); contact(1).second = body(2); "
          "contact(1).ball2 = .02; contact(1).stiffness = 1e5;");
      move(&r, (method)how, rtol, end);
      const double x = r.state->q[r.n.nq - 3], v = r.state->v[r.n.nv - 3];
      if (isnan(first)) first = x;
      // a turn later is 0.8 m off
      assert_true(v > 0.5);
      assert_true(fabs(x - first) < 0.05 * v);
      robot_close(&r);
    }
}

// A ball hits a rod on a sledge: energy is kept, methods agree, whichever rod model.  (Fixed steps
// as long as those of the table are beyond what the rod's own vibration allows.)
static void test_a_ball_hits_a_rod_on_a_sledge(void** state) {
  (void)state;
  static const char* const models[] = {"gvs", "ebr"};
  double first = NAN;
  for (int i = 0; i < 2; i++)
    for (int how = EXPLICIT; how < FIXED; how++) {
      char text[900];
      snprintf(text, sizeof text,
               "body(1).m = 0.2; body(1).I = 1e-6*eye(3); joint(1).second = 1;"
               "joint(1).tr.trans = [inf 0 0.15]; joint(1).dof(1).init = -1;"
               "joint(1).dof(1).rate = 0.7; body(2).m = 0.1; body(2).I = eye(3);"
               "joint(2).second = 2; joint(2).tr.trans = [inf 0 0];"
               "rod(1).first = 2; rod(1).length = 0.2; rod(1).radius = 0.01; rod(1).E = 1e6;"
               "rod(1).rho = 1000; rod(1).modes = [0 0 0 0 1 0]; rod(1).n = 3;"
               "rod(1).model = '%s'; contact(1).first = body(1); contact(1).second = rod(1);"
               "contact(1).ball = 0.02; contact(1).stiffness = 1e4;",
               models[i]);
      robot r = robot_open(text);
      const double rtol = 1e-7, energy = 0.1 * 0.49, bound = 2 * collision_error(rtol, 1) * energy;
      move(&r, (method)how, rtol, 1.6);
      const td_energies e = td_energy(r.model, r.state, r.work);
      if (how == EXPLICIT) first = r.state->v[0];
      assert_true(fabs(e.kinetic + e.elastic - energy) < bound);
      assert_true(fabs(r.state->v[0] - first) < 2 * collision_error(rtol, 0.7));
      robot_close(&r);
    }
}

// 1 N over 40 mm against 0.2 kg at 1 m/s leaves √0.6 m/s.
static void test_a_short_brake_is_not_passed_over(void** state) {
  (void)state;
  const double ends[] = {1.5, 3, 10, 15, 60, 500};
  for (int i = 0; i < 6; i++)
    for (int s = 0; s < 3; s++) {
      const outcome x =
          run("body(1).m = 0.2; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];"
              "joint(1).dof(1).rate = 1; exload(1).exbody = 1;"
              "exload(1).ftau = [-ifelse(abs(pos(body(1))(1) - 1) < 0.02, 1, 0) 0 0];",
              solvers[s], 1e-6, ends[i]);
      assert_true(fabs(x.v[0] - sqrt(0.6)) < 1e-4);
    }
}

// Three hundred brakes of 0.2 mm each, 10 mm apart: F over 60 mm in all takes 2 F 0.06/m of v².
static void test_there_may_be_many_corners(void** state) {
  (void)state;
  for (int s = 0; s < 3; s++) {
    const outcome x =
        run("body(1).m = 0.2; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];"
            "joint(1).dof(1).rate = 1; F = 0; x = pos(body(1))(1); for k = 1:300, "
            "F = F - ifelse(abs(x - 0.01*k) < 1e-4, 1, 0); end\n"
            "exload(1).exbody = 1; exload(1).ftau = [F 0 0];",
            solvers[s], 1e-6, 5);
    // 600 corners with some ten steps each, whose errors may all have the same sign
    assert_true(fabs(x.v[0] - sqrt(1 - 2 * 0.06 / 0.2)) < 6000e-6);
  }
}

// Three hundred times the speed of a base jumps by 1 mm/s, and a mass that slides on it freely
// stays where it is.
static void test_there_may_be_many_jumps(void** state) {
  (void)state;
  robot r = robot_open(
      "x = 0; for k = 1:300, x = x + 1e-3*max(0, t - 0.01*k - 1e-3*sin(k)); end\n"
      "body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [inf 0 0]; joint(1).dof(1).motion = "
      "x;"
      "body(2).m = 1; joint(2).first = 1; joint(2).second = 2; joint(2).tr.trans = [inf 0 0];");
  for (int k = 0; k < 5; k++) assert_int_equal(td_fixed_step(r.model, r.state, r.work, 0.7), TD_OK);
  CHECK_NEAR(r.state->v[0], 0.3, 1e-12);
  CHECK_NEAR(r.state->v[1], -0.3, 1e-10);
  CHECK_NEAR(r.state->q[0] + r.state->q[1], 0, 1e-10);
  robot_close(&r);
}

// A stone is thrown up on a slack rope of 1 m (elastic link, or inextensible cable): it falls back
// and swings about its end; energy does not rise.
static void test_ropes_catch_and_give_no_energy(void** state) {
  (void)state;
  for (int s = 0; s < 3; s++)
    for (int i = 0; i < 5; i++) {
      char text[600];
      snprintf(text, sizeof text,
               "world.g = [0 0 -9.81]; body(1).m = 0.2; body(1).I = 1e-6*eye(3);"
               "joint(1).second = 1; joint(1).tr(1).trans = [inf 0 inf]; joint(1).dof(1).rate = %g;"
               "joint(1).dof(2).rate = 3; joint(2).second = 1; joint(2).tr.trans = [0 0 -0.01]; "
               "joint(2).spring.coeff = 2e4;"
               "joint(2).spring.init = 1; joint(2).dir = 1;",
               0.2 + 0.3 * i);
      const outcome x = run(text, solvers[s], 1e-7, 10);
      const double v = 0.2 + 0.3 * i, start = 0.1 * (v * v + 9);
      // twenty and more catches of 2 ms
      assert_true(fabs(x.energy - start) < 1e-2 * start);
      assert_true(hypot(x.q[0], x.q[1]) < 1.1);
    }
}

// A plant that is told to go 10 s in one step meets the other ball, too.
static void test_plants_do_not_pass_over_contacts(void** state) {
  (void)state;
  for (int s = 0; s < 3; s++)
    for (int steps = 1; steps <= 4; steps++) {
      robot r = robot_open(BILLIARD);
      td_sim_options o = td_sim_options_default();
      td_plant* p = NULL;
      o.solver = solvers[s];
      assert_int_equal(td_plant_new(r.model, r.work, r.state, &o, &p), TD_OK);
      for (int k = 1; k <= steps; k++) assert_int_equal(td_plant_step(p, 10.0 * k / steps), TD_OK);
      assert_true(fabs(td_plant_state(p)->v[0]) < 1e-3);
      assert_true(fabs(td_plant_state(p)->v[6] - 0.7) < 1e-3);
      td_plant_free(p);
      robot_close(&r);
    }
}

// The work of a prescribed press, over a plane: what the contact's damper takes, by a fine sum of
// its closed form k δ^1.5 d w², w = -z', while the ball is in.
static void test_work_of_prescribed_motion_is_measured(void** state) {
  (void)state;
  const double k = 2e4, d = 0.5, rtol[] = {1e-4, 1e-6, 1e-8};
  double loss = 0;
  const int n = 2000000;
  for (int i = 0; i < n; i++) {
    const double t = (i + 0.5) / n, depth = 0.03 * sin(5 * t) - 0.02, w = 0.15 * cos(5 * t);
    if (depth > 0 && 1 + d * w > 0) loss += k * pow(depth, 1.5) * d * w * w / n;
  }
  for (int i = 0; i < 3; i++) {
    const outcome x =
        run("body(1).m = 0.5; body(1).I = 1e-3*eye(3); joint(1).second = 1; joint(1).tr.trans = [0 "
            "0 inf];"
            "joint(1).dof(1).motion = 0.02 - 0.03*sin(5*t); contact(1).first = body(1);"
            "contact(1).second = 'plane'; contact(1).stiffness = 2e4; contact(1).exponent = 1.5;"
            "contact(1).damping = 0.5;",
            TD_SOLVER_AUTO, rtol[i], 1);
    // the balance closes: kinetic energy at the ends, the damper's loss and the motor's work
    assert_true(loss > 1e-3);
    assert_true(fabs(x.energy_error) < 100 * rtol[i] * loss);
  }
}

// A speed that falls by four orders is as accurate as it is small: v = 1/(1/v0 + c t/m).
static void test_drag_from_a_high_speed(void** state) {
  (void)state;
  const double v0[] = {10, 1000, 1e5};
  for (int i = 0; i < 3; i++)
    for (int s = 0; s < 3; s++) {
      char text[300];
      snprintf(text, sizeof text,
               "fluid.rho = 1000; body(1).m = 1; body(1).I = eye(3); joint(1).second = 1;"
               "joint(1).type = 'free'; joint(1).dof(1).rate = %g;"
               "body(1).fluid.drag_matrix = diag([5 5 5 1 1 1]);",
               v0[i]);
      const double v = run(text, solvers[s], 1e-6, 1).v[0], exact = 1 / (1 / v0[i] + 5);
      assert_true(fabs(v - exact) < 1e-4 * exact);
    }
}

// sign(v) holds a mass at v = 0 by forces that no step can follow: the run ends there and says what
// to write instead, which then runs.  The block of 1 kg slides 0.25 m and stops after 0.5 s.
static void test_friction_by_sign_is_refused_where_it_holds(void** state) {
  (void)state;
  for (int s = 0; s < 4; s++)
    for (int smooth = 0; smooth < 2; smooth++) {
      char text[300];
      snprintf(text, sizeof text,
               "body(1).m = 1; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];"
               "joint(1).dof(1).rate = 1; exload(1).exbody = 1; v = vel(body(1))(1);"
               "exload(1).ftau = [-2*%s 0 0];",
               smooth ? "tanh(v/0.001)" : "sign(v)");
      robot r = robot_open(text);
      td_sim_options o = td_sim_options_default();
      td_trajectory* out = NULL;
      o.solver = s < 3 ? solvers[s] : TD_SOLVER_LEAPFROG;
      o.t_final = 2;
      const td_status status = td_simulate(r.model, r.work, r.state, &o, &out);
      assert_int_equal(status, smooth ? TD_OK : TD_E_MODEL);
      assert_true(smooth || strstr(td_trajectory_diagnosis(out), "tanh(v/0.001)") != NULL);
      assert_true(td_trajectory_stats(out)->steps < 20000);
      // the smooth law creeps on for some 1e-3 m/s times 0.5 ms
      CHECK_NEAR(r.state->q[0], 0.25, 1e-5);
      td_trajectory_free(out);
      robot_close(&r);
    }
}

// Steps of fixed length are divided where something is in the way, however long they are and
// wherever in them it comes: at 0.08 s the touch is in the middle of a step, whose stages throw the
// balls apart and whose halves did the same.
static void test_fixed_steps_do_not_pass_over_contacts(void** state) {
  (void)state;
  const double dt[] = {0.5, 0.1, 0.01, 0.08, 2, 2.5, 7.5, 30}, rtol = 1e-6;  // of their parts
  for (size_t i = 0; i < sizeof dt / sizeof *dt; i++) {
    robot r = robot_open(BILLIARD);
    while (r.state->t < 5) {
      assert_int_equal(td_fixed_step(r.model, r.state, r.work, dt[i]), TD_OK);
      const double v1 = r.state->v[0], v2 = r.state->v[6];
      assert_true(v1 * v1 + v2 * v2 < 0.49 * (1 + 400 * rtol));
    }
    assert_true(fabs(r.state->v[0]) < collision_error(rtol, 0.7));
    assert_true(fabs(r.state->v[6] - 0.7) < collision_error(rtol, 0.7));
    robot_close(&r);
  }
}

// A zone of 40 mm with 1 N against 0.2 kg at 1 m/s leaves v = √0.6; a ball with a lossy floor and
// links that push never rise above where they were let go.
static void test_long_fixed_steps_give_no_energy(void** state) {
  (void)state;
  const double dt[] = {15, 1.5, 0.15};
  for (int i = 0; i < 3; i++) {
    robot r = robot_open(
        "body(1).m = 0.2; joint(1).second = 1; joint(1).tr.trans = [inf 0 0];"
        "joint(1).dof(1).rate = 1; exload(1).exbody = 1;"
        "exload(1).ftau = [-ifelse(abs(pos(body(1))(1) - 1) < 0.02, 1, 0) 0 0];");
    while (r.state->t < 14) assert_int_equal(td_fixed_step(r.model, r.state, r.work, dt[i]), TD_OK);
    CHECK_NEAR(r.state->v[0], sqrt(0.6), 1e-5);
    robot_close(&r);
  }
  static const char* const floor[] = {
      "contact(1).first = body(1); contact(1).second = 'plane'; contact(1).stiffness = 1e5;"
      "contact(1).exponent = 1.5; contact(1).damping = 0.05;",
      "joint(2).second = 1; joint(2).tr.trans = [0 0 -1]; joint(2).spring.coeff = 1e5;"
      "joint(2).spring.init = 1; joint(2).dir = -1;"};
  const double length[] = {5, 0.4, 0.03};
  for (int i = 0; i < 6; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "world.g = [0 0 -9.81]; body(1).m = 0.2; body(1).I = 1e-4*eye(3); joint(1).second = 1;"
             "joint(1).tr(1).trans = [0 0 inf]; joint(1).dof(1).init = 0.3; %s",
             floor[i % 2]);
    robot r = robot_open(text);
    double top = 0;
    while (r.state->t < 4.9) {
      assert_int_equal(td_fixed_step(r.model, r.state, r.work, length[i / 2]), TD_OK);
      const td_energies e = td_energy(r.model, r.state, r.work);
      top = fmax(top, e.kinetic + e.elastic + e.gravity);
    }
    assert_true(top < 0.2 * 9.81 * 0.3 * (1 + 1e-4));
    robot_close(&r);
  }
}

// Friction by sign(v) does not come to rest: the step says so instead of going on with noise.
static void test_fixed_steps_do_not_chatter(void** state) {
  (void)state;
  robot r = robot_open(
      "body(1).m = 1; body(1).I = eye(3); joint(1).second = 1; joint(1).tr.trans = [inf 0 0];"
      "joint(1).dof(1).rate = 1; exload(1).exbody = 1;"
      "exload(1).ftau = [-2*sign(vel(body(1))(1)) 0 0];");
  td_status status = TD_OK;
  while (r.state->t < 1 && status == TD_OK) status = td_fixed_step(r.model, r.state, r.work, 0.1);
  assert_int_equal(status, TD_E_DIVERGED);
  CHECK_NEAR(r.state->q[0], 0.25, 1e-5);
  robot_close(&r);
}

// What rests, or hangs on a rope that stays taut, takes no more steps than it would without guards:
// a hundred or so and what its own damped motion needs.
static void test_resting_contacts_do_not_hold_steps_down(void** state) {
  (void)state;
  const outcome rest = run(
      "world.g = [0 0 -9.81]; body(1).m = 0.2; body(1).I = 1e-4*eye(3); joint(1).second = 1;"
      "joint(1).tr(1).trans = [0 0 inf]; joint(1).dof(1).init = 0.05; contact(1).first = body(1);"
      "contact(1).second = 'plane'; contact(1).ball = 0.05; contact(1).stiffness = 1e3;"
      "contact(1).damping = 40;",
      TD_SOLVER_STIFF, 1e-6, 100);
  assert_true(rest.stats.evaluations < 3000);
  assert_true(fabs(rest.q[0] - (0.05 - 0.2 * 9.81 / 1e3)) < 1e-6);
}

// One-sided links between bodies that are fixed to each other rest at their switch for ever: gaps
// of 1e-17 m are rounding, where steps ended at every change of their sign.  They move as without
// the link.
static void test_links_within_a_rigid_body_do_not_switch(void** state) {
  (void)state;
  static const char* const links[] = {
      "joint(3).dir = [-1 0 1]; joint(3).spring.coeff = [90 90 60 4 4 1.6];"
      "joint(3).spring.init = nan*ones(1, 6); joint(3).damp.visc = 0.3*ones(1, 6);",
      "joint(3).dir = 1; joint(3).spring.coeff = 90; joint(3).spring.init = nan;"
      "joint(3).damp.visc = 0.3;",
      "joint(3).spring.coeff = 0;"};
  double q[3] = {0};
  for (int k = 0; k < 3; k++) {
    char text[1600];
    snprintf(text, sizeof text,
             "world.g = [0 0 -9.81]; for k = 1:2, body(k).m = 1; body(k).I = 0.01*eye(3);"
             "body(k).l_com = [0.1 0.03 0.02]; end; joint(1).second = 1;"
             "joint(1).tr(1).trans = [0.3 0.2 -0.4]; joint(1).type = 'revolute';"
             "joint(1).axis = [0.3 0.8 0.5]; joint(1).dof(1).init = 0.3;"
             "joint(2).first = 1; joint(2).second = 2; joint(2).tr(1).trans = [0.13 -0.09 0.17];"
             "joint(2).tr(1).rot = [1.1 0.7 0.7 0.2]; joint(2).type = 'fixed';"
             "joint(3).first = 1; joint(3).second = 2; joint(3).tr(1).trans = [0.1 -0.03 0.03];"
             "joint(3).tr2nd.trans = [0.05 0.02 -0.02]; %s",
             links[k]);
    robot r = robot_open(text);
    td_sim_options o = td_sim_options_default();
    td_trajectory* out = NULL;
    o.t_final = 0.5;
    o.rtol = o.atol = 1e-8;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &out), TD_OK);
    assert_true(td_trajectory_stats(out)->steps < 100);
    q[k] = r.state->q[0];
    td_trajectory_free(out);
    robot_close(&r);
  }
  CHECK_NEAR(q[0], q[2], 1e-7);
  CHECK_NEAR(q[1], q[2], 1e-7);
}

// A robot that begins where two of its stops begin to act.  Rounding shows one of the switches
// three times within 1e-16 s, which the solvers' search for roots does not go on from.
static void test_a_switch_that_rounding_shows_again(void** state) {
  (void)state;
  static const char text[] =
      "world.g = [3.0481402665559729 -3.0628581849540675 2.0024531432078847]*(1 + "
      "0.5*sin(20*t)); "
      "u = input('u', -0.20366798681598003); rod(1).model = 'ebr'; rod(1).n = 2; "
      "rod(1).length = 0.36680623085020692; rod(1).radius = 0.016159574114961502; "
      "rod(1).E = 587269.52350741508; rod(1).rho = 1100; "
      "rod(1).tr(2).trans = [-0.029477436752435145 -0.096064020867650701 0.048567150277074762]; "
      "rod(1).tr(2).rot = [1.5055706950616965 -0.697259462268073 -0.67921940328098984 "
      "-0.22910749547811377]; "
      "body(1).m = 1.0251210672257771; joint(1).second = 1; "
      "joint(1).first = at(rod(1), 0.18340311542510346); "
      "joint(1).tr(1).trans = [-0.092424202062795877 0.084230055949259613 0.11650782816042698]; "
      "joint(1).tr(1).rot = [1.5727684858261504 0.69794505295524245 0.019375726395347279 "
      "0.71588915642154871]; "
      "joint(1).type = 'revolute'; "
      "joint(1).axis = [0.83720626576801249 -0.54668396435914024 -0.014910119763236362]; "
      "joint(1).dof(1).init = 0.37040698651382764; "
      "joint(1).dof(1).rate = 0.68849927713556569; "
      "joint(2).second = at(rod(1), 0.24576017466963862); "
      "joint(2).tr(2).trans = [-0.17996501211249449 0.27375064844683705 0.33820371159613155]; "
      "joint(2).tr2nd.trans = [0.24053728575406824 -0.076823515911141019 0.1779598970708651]; "
      "joint(2).type = 'revolute'; "
      "joint(2).axis = [-0.95426027232604327 0.25326403021369209 -0.15888569369248948]; "
      "joint(3).first = at(rod(1), 0.13571830541457655); joint(3).second = 1; "
      "joint(3).fixed = [1 0 1 ]; joint(3).refbody = 1; joint(4).first = 1; "
      "joint(4).second = at(rod(1), 0.24576017466963862); "
      "joint(4).tr2nd.trans = [0.030379047727224291 0.030341382535868357 -0.01664446537505726]; "
      "joint(4).dir = [-1 0 1]; "
      "joint(4).spring.coeff = [72.150896393736559 57.523214423662594 81.773971997799038 "
      "2.1773575457023724 1.7394762966708521 4.7674540990618928 ]; "
      "joint(4).spring.init = nan*ones(1, 6); cable(1).from = 0.036680623085020694; "
      "cable(1).pull = 0.0081378215700202514; cable(2).tension = 1.5215300194566121; "
      "cable(3).path = [0.0037807596924464165 0.0045145817487861912]; "
      "cable(3).tension = 0.59114093860590256; "
      "exload(1).exbody = at(rod(1), 0.36680623085020692); exload(2).exbody = 1; "
      "exload(2).refbody = 1; "
      "exload(2).ftau = [0.85044847058480599 -0.35480193027990858 -0.23967388685571533 "
      "0.053583760179971629 -0.012019818449806294 0.0049861202522130067 ]; "
      "task(1).value = dof(joint(1), 1); task(1).desired = 0.050000000000000003*sin(2*t);"
      "par.t_final = 0.01; par.dt_out = 0.002; par.rtol = 1e-8; par.atol = 1e-8;";
  double q[2][40];
  for (int k = 0; k < 2; k++) {
    robot r = robot_open(text);
    td_sim_options o = td_sim_options_default();
    td_trajectory* out = NULL;
    if (k == 1) o.rtol = o.atol = 3e-7;
    assert_int_equal(td_simulate(r.model, r.work, r.state, &o, &out), TD_OK);
    for (int i = 0; i < r.n.nq; i++) q[k][i] = r.state->q[i];
    if (k == 1)
      for (int i = 0; i < r.n.nq; i++) CHECK_NEAR(q[0][i], q[1][i], 1e-5);
    td_trajectory_free(out);
    robot_close(&r);
  }
}

// ---- a search that is given too much to look at -----------------------------------------------

// A gap of 1e-3 everywhere but around 0.9, where it closes for 2e-4.
static bool narrow(void* ctx, double t, double* gap) {
  ++*(int*)ctx;
  *gap = fabs(t - 0.9) < 1e-4 ? -1 : 1e-3;
  return true;
}

// With a bound of the rate of 1e4 steps of 1e-7 are safe, far more than may be looked at: the
// search says how far it came, never beyond what closes, and goes on from there until it is inside.
static void test_a_search_that_runs_out_goes_on_from_where_it_came(void** state) {
  (void)state;
  double level[TD_GUARD_LEVELS], start = 1e-3, end = 1e-3, bound = 1e4, t = 0;
  int looks = 0, times = 0;
  for (double gap = start; gap > 0; times++) {
    td_guard_path path = {.n = 1,
                          .start = &start,
                          .end = &end,
                          .bound = &bound,
                          .level = level,
                          .at = narrow,
                          .ctx = &looks};
    const double before = t;
    t = td_guard_search(&path, t, &start, 1, &end, 0);
    assert_true(t > before && t < 0.9 + 1e-4);
    assert_true(path.samples <= TD_GUARD_SAMPLES + 1);
    narrow(&looks, t, &gap);
    // 400 looks at intervals of 2e-7, each counted up to twice
    assert_true(gap < 0 || t - before > 1e-6);
    if (times == 2) break;
  }
  assert_int_equal(times, 2);

  // with one of 10 it gets there at once
  bound = 10, t = 0;
  td_guard_path path = {.n = 1,
                        .start = &start,
                        .end = &end,
                        .bound = &bound,
                        .level = level,
                        .at = narrow,
                        .ctx = &looks};
  while (fabs(t - 0.9) >= 1e-4) {
    const double before = t;
    path.samples = 0;
    t = td_guard_search(&path, t, &start, 1, &end, 0);
    assert_true(t > before && t < 0.9 + 1e-4);
  }
}

// A base that is driven pulls a row of masses and springs: what the drive gives is what they have,
// by leapfrog as by the other solvers.  The work of u(t) k (u - x) is kept to the order of the
// method: of some hundred steps each may be off by its tolerance.
static void test_leapfrog_counts_the_work_of_prescribed_motion(void** state) {
  (void)state;
  static const char text[] =
      "for i = 1:6, body(i).m = 0.2; joint(i).second = i; joint(i).tr.trans = [inf 0 0]; end\n"
      "joint(1).dof(1).motion = 0.1*sin(7*t);\n"
      "for i = 1:5, joint(6+i).first = i; joint(6+i).second = i+1; joint(6+i).tr.trans = [-1 0 0];"
      " joint(6+i).spring.coeff = 40; joint(6+i).spring.init = 1; end\n";
  const outcome fine = run(text, TD_SOLVER_EXPLICIT, 1e-10, 2);
  for (double rtol = 1e-3; rtol > 5e-6; rtol /= 10) {
    const outcome x = run(text, TD_SOLVER_LEAPFROG, rtol, 2);
    CHECK_REACHED("leapfrog: work", fabs(x.stats.work_done / fine.stats.work_done - 1), 100 * rtol);
    CHECK_REACHED("leapfrog: balance", fabs(x.energy_error / fine.stats.work_done), 100 * rtol);
  }
  assert_true(fabs(fine.stats.work_done) > 1e-2);
}

// A rod whose strain is given over time, bends for half a second and strikes a free ball: the
// ball's speed does not depend on how long the run is, and what the given strain does for it is
// found.
static void test_work_of_given_strains_is_measured(void** state) {
  (void)state;
  static const double spans[] = {501, 3000};
  double speed[2];
  for (int k = 0; k < 2; k++) {
    char text[900];
    snprintf(text, sizeof text,
             "rod(1).length = 0.5; rod(1).radius = 0.01; rod(1).E = 1e6; rod(1).rho = 1000;\n"
             "rod(1).strain = [0 0 0 0 2/(1 + ((t - 500.3)/0.3)^4) 0];\n"
             "body(1).m = 0.1; joint(1).second = 1; joint(1).tr(1).trans = [0.12 0 0.48];\n"
             "joint(1).tr(2).trans = [inf 0 0]; contact(1).first = rod(1);\n"
             "contact(1).second = body(1); contact(1).points2 = [0 0 0]; contact(1).ball2 = 0.02;\n"
             "contact(1).stiffness = 1000; par.t_final = %g;\n",
             spans[k]);
    robot r = robot_open(text);
    td_trajectory* run;
    const char* why;
    assert_int_equal(td_simulate(r.model, r.work, r.state, NULL, &run), TD_OK);
    assert_int_equal(td_trajectory_trust(run, &why), TD_TRUST_OK);
    // of 2e-4 J that the ball has in the end, at a tolerance of 1e-6 in some hundred steps
    CHECK_REACHED("energy", fabs(td_trajectory_stats(run)->energy_error), 1e-6);
    speed[k] = r.state->v[0];
    td_trajectory_free(run);
    robot_close(&r);
  }
  CHECK_NEAR(speed[1] / speed[0], 1, 1e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_search_that_runs_out_goes_on_from_where_it_came),
      cmocka_unit_test(test_leapfrog_counts_the_work_of_prescribed_motion),
      cmocka_unit_test(test_every_kind_of_floor_returns_what_falls_on_it),
      cmocka_unit_test(test_balls_meet_whatever_the_end_of_the_run),
      cmocka_unit_test(test_bullets_do_not_pass_through_obstacles),
      cmocka_unit_test(test_every_method_meets_every_element),
      cmocka_unit_test(test_what_time_moves_meets_what_rests),
      cmocka_unit_test(test_a_turning_rod_hits_what_is_in_its_way),
      cmocka_unit_test(test_a_ball_hits_a_rod_on_a_sledge),
      cmocka_unit_test(test_a_short_brake_is_not_passed_over),
      cmocka_unit_test(test_there_may_be_many_corners),
      cmocka_unit_test(test_there_may_be_many_jumps),
      cmocka_unit_test(test_ropes_catch_and_give_no_energy),
      cmocka_unit_test(test_work_of_prescribed_motion_is_measured),
      cmocka_unit_test(test_drag_from_a_high_speed),
      cmocka_unit_test(test_friction_by_sign_is_refused_where_it_holds),
      cmocka_unit_test(test_fixed_steps_do_not_pass_over_contacts),
      cmocka_unit_test(test_long_fixed_steps_give_no_energy),
      cmocka_unit_test(test_fixed_steps_do_not_chatter),
      cmocka_unit_test(test_plants_do_not_pass_over_contacts),
      cmocka_unit_test(test_resting_contacts_do_not_hold_steps_down),
      cmocka_unit_test(test_links_within_a_rigid_body_do_not_switch),
      cmocka_unit_test(test_a_switch_that_rounding_shows_again),
      cmocka_unit_test(test_work_of_given_strains_is_measured)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
