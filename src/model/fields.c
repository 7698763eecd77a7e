// The field table: every structure of the model language with kind, shape, default, unit, what it
// may depend on, and a sentence for the manual.  Names, shapes and defaults are those of the
// published TMTDyn tables; what a rigid robot needs beyond them (joint.type, par.t_final, ...)
// follows the same pattern. To add a field: add a row below its parent and write the page again
// (see test_fields.c).
#include "model/field_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elem/basis.h"
#include "model/force_words.h"
#include "model/hop_words.h"

// The words of the solvers, each after a bar, and what they are.
#define SOLVER_WORD(value, word, what) "|" #word
#define SOLVER_IS(value, word, what) "; " #word " is an " what
#define BASIS_NAME(name, ...) #name ", "
#define MODEL_OPTION(name, ...) "|" #name
#define MODEL_TEXT(name, positions, points, functions, nodes, text) "; '" #name "': " text

static const td_field own_fields[] = {
    // ---- par ----------------------------------------------------------------------------------
    {"par", FIELD_STRUCT, "1", "", "", FIXED, "", "", "what to do with the model, and how"},
    {"par.anim", FIELD_FLAG, "1", "0", "", FIXED, "", "",
     "1: `run` opens the report, which has the animation, if there is a display and a terminal"},
    {"par.mov", FIELD_FLAG, "1", "0", "", FIXED, "", "",
     "1: `run` writes video.mp4 too (needs chromium and ffmpeg)"},
    {"par.derive", FIELD_FLAG, "1", "0", "", FIXED, "", "",
     "`run` writes the symbolic equations of motion too, as `derive` does"},
    {"par.fun", FIELD_INT, "1", "", "", FIXED, "", "1|2|3|4",
     "form of the derived functions unless options say it: 1 one for each element, 2 one for each "
     "term of each element, 3 one for each matrix, all for Octave; 4 as 3 but in C; default: the "
     "whole, in C"},
    {"par.mex", FIELD_FLAG, "1", "0", "", FIXED, "", "",
     "1: `run` compiles derived code and simulates with it where it is faster, as `--jit` does"},
    {"par.equil", FIELD_INT, "1", "1", "", FIXED, "", "0|1|2|3",
     "find the static equilibrium: 0 no, 1 to 3 yes; with par.dyn written too, `run` starts the "
     "motion there"},
    {"par.modal", FIELD_INT, "1", "1", "", FIXED, "", "0|1|2|3",
     "find the natural modes: 0 no, 1 to 3 yes; at the initial state where par.equil is 0"},
    {"par.dyn", FIELD_INT, "1", "1", "", FIXED, "", "0|1|2|3",
     "simulate the motion: 0 no, 1 to 3 yes"},
    {"par.nint", FIELD_INT, "1", "50", "", FIXED, "", ">= 1",
     "quadrature points (Gauss) along each rod of joint.rom; default: joint.rom.points"},
    {"par.t_init", FIELD_NUM, "1", "0", "s", FIXED, "", "", "time at which the simulation starts"},
    {"par.t_final", FIELD_NUM, "1", "t_init + 1", "s", FIXED, "", "",
     "time at which it ends, later than `t_init`"},
    {"par.dt_out", FIELD_NUM, "1", "0.01", "s", FIXED, "", "> 0",
     "interval between the rows of the result; the solver chooses its own steps"},
    {"par.step", FIELD_NUM, "1", "", "s", FIXED, "", "> 0",
     "longest step of the solver 'fixed', which takes equal ones; default: par.dt_out"},
    {"par.rtol", FIELD_NUM, "1", "1e-6", "", FIXED, "", "> 0", "relative tolerance of the solver"},
    {"par.atol", FIELD_NUM, "1", "1e-9", "", FIXED, "", "> 0", "absolute tolerance of the solver"},
    {"par.solver", FIELD_STR, "", "auto", "", FIXED, "", "auto" TD_SOLVERS(SOLVER_WORD),
     "how motion is integrated; auto chooses by the rule of simulation.md" TD_SOLVERS(SOLVER_IS)},
    {"par.linear", FIELD_STR, "", "auto", "", FIXED, "", "auto|dense|sparse",
     "linear algebra: dense matrices, or sparse ones for networks; `auto` decides by the "
     "structure"},
    {"par.seed", FIELD_INT, "1", "1", "", FIXED, "", ">= 0", "start of the random numbers"},
    {"par.control", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "the computer that tasks and controllers run on"},
    {"par.control.rate", FIELD_NUM, "1", "0", "Hz", FIXED, "", ">= 0",
     "how often it measures and sets inputs, which are held in between; 0: at all times"},
    {"par.control.delay", FIELD_NUM, "1", "0", "s", FIXED, "", ">= 0",
     "time from a measurement to the inputs that follow from it"},
    {"par.control.quantum", FIELD_NUM, "1", "0", "", FIXED, "", ">= 0",
     "smallest step of the inputs it sets, 0: none"},
    {"par.sym", FIELD_NUM, "", "", "", SYMBOLS, "", "",
     "symbols made with `syms` that become parameters of the model"},
    {"par.var", FIELD_NUM, "", "", "", PARAM, "", "", "their values, in the same order"},
    {"par.post", FIELD_STR, "", "", "", FIXED, "", "",
     "script beside the model that `run` hands the results to in Octave, only with `--allow-post`"},

    // ---- world --------------------------------------------------------------------------------
    {"world", FIELD_STRUCT, "1", "", "", FIXED, "", "", "what surrounds the robot"},
    {"world.g", FIELD_NUM, "1x3", "[0 0 0]", "m/s^2", TIMED, "", "",
     "gravity, the acceleration of a body that falls freely"},

    // ---- fluid --------------------------------------------------------------------------------
    {"fluid", FIELD_STRUCT, "1", "", "", FIXED, "", "", "a fluid everywhere around the robot"},
    {"fluid.rho", FIELD_NUM, "1", "0", "kg/m^3", PARAM, "", ">= 0", "density; 0: there is none"},
    {"fluid.velocity", FIELD_NUM, "1x3", "[0 0 0]", "m/s", FLOW, "", "",
     "its velocity, the same everywhere or an expression of the place `here`, changing slowly"},

    // ---- body ---------------------------------------------------------------------------------
    {"body", FIELD_STRUCTS, "", "", "", FIXED, "", "", "rigid bodies"},
    {"body.m", FIELD_NUM, "nx1", "1e-9", "kg", PARAM, "", ">= 0", "mass"},
    {"body.I", FIELD_NUM, "3x3xn", "1e-9*eye(3)", "kg m^2", PARAM, "", "",
     "inertia (one number: the same about all axes) about the centre of mass, in axes parallel to "
     "the body frame"},
    {"body.l_com", FIELD_NUM, "nx3", "[0 0 0]", "m", PARAM, "", "",
     "centre of mass in the body frame"},
    {"body.tip", FIELD_NUM, "nx3", "2*l_com", "m", PARAM, "", "",
     "end of the body in its frame, for drawing"},
    {"body.fluid", FIELD_STRUCT, "1", "", "", FIXED, "", "", "what the fluid does to it"},
    {"body.fluid.volume", FIELD_NUM, "1", "0", "m^3", PARAM, "", ">= 0",
     "displaced volume: buoyancy is the weight of that much fluid"},
    {"body.fluid.center", FIELD_NUM, "1x3", "l_com", "m", PARAM, "", "",
     "centre of the displaced volume in the body frame"},
    {"body.fluid.drag_matrix", FIELD_NUM, "6x6", "", "kg/m, kg", PARAM, "", "",
     "drag -D*abs(v)*[v w] in the body frame, with the velocity v of its origin against the fluid"},
    {"body.fluid.added_mass", FIELD_NUM, "6x6", "", "kg, kg m, kg m^2", PARAM, "", "",
     "added inertia [translational, rotational] in the body frame"},
    {"body.type", FIELD_STR, "", "rigid", "", FIXED, "", "rigid", "kind of body"},
    {"body.name", FIELD_STR, "", "", "", FIXED, "", "", "name in messages and results; unique"},

    // ---- joint --------------------------------------------------------------------------------
    {"joint", FIELD_STRUCTS, "", "", "", FIXED, "", "", "connections"},
    {"joint.first", FIELD_PLACE, "", "[0 0]", "", FIXED, "", "",
     "body it starts from; 0 is the ground"},
    {"joint.second", FIELD_PLACE, "", "[0 1]", "", FIXED, "", "", "body it leads to"},
    {"joint.rom", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "makes the body a rod whose pose is a polynomial of arc length (second = [body length]); m, "
     "I, "
     "spring, damp and input are then per length: one number, [a b] for the three "
     "translations and the three rotations, or six"},
    {"joint.rom.order", FIELD_INT, "1", TD_REQUIRED, "", FIXED, "", ">= 1", "polynomial order"},
    {"joint.rom.points", FIELD_NUM, "1|2xm", "2*order + 4", "", FIXED, "", ">= 0",
     "quadrature points: how many, or nodes and weights on [0,1] in two rows"},
    {"joint.tr", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "transformations from the first body's frame, in order: each moves, then turns"},
    {"joint.tr.trans", FIELD_NUM, "1x3", "[0 0 0]", "m", PARAM, "inf", "", "translation"},
    {"joint.tr.rot", FIELD_NUM, "1x2|1x3|1x4", "[0 0]", "rad", PARAM, "inf", "",
     "rotation: [axis angle] about x, y or z (axis 1, 2, 3); three bending and twist angles; "
     "[0 x y z] with `inf` or norm([x y z]) < 1, the vector part of a unit quaternion; [inf inf "
     "inf inf], a whole quaternion; otherwise [angle axis]"},
    {"joint.tr2nd", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "transformations from the second body's frame, for connections that are not in the main "
     "chain"},
    {"joint.tr2nd.trans", FIELD_NUM, "1x3", "[0 0 0]", "m", PARAM, "", "", "translation"},
    {"joint.tr2nd.rot", FIELD_NUM, "1x2|1x3|1x4", "[0 0]", "rad", PARAM, "", "",
     "rotation: [axis angle]; three angles; [0 x y z] with norm([x y z]) < 1, the vector part of a "
     "unit quaternion; otherwise a quaternion [w x y z]"},
    {"joint.dof", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "the degrees of freedom, in order of appearance"},
    {"joint.dof.equal2", FIELD_INT, "1|nx2|nx3", "", "", FIXED, "", ">= 1",
     "the same coordinate as an earlier one: [joint dof], [joint element dof], or its number among "
     "the degrees of freedom of all joints in order"},
    {"joint.dof.init", FIELD_NUM, "nx1", "0", "m, rad", PARAM, "", "", "initial value"},
    {"joint.dof.init_s", FIELD_NUM, "1xm", "(1:order)*length/order", "m", FIXED, "", "> 0",
     "with `joint.rom`: arc lengths at which `init` gives values"},
    {"joint.dof.rate", FIELD_NUM, "nx1", "0", "m/s, rad/s", PARAM, "", "", "initial rate"},
    {"joint.dof.motion", FIELD_NUM, "nx1", "", "m, rad", TIMED, "", "",
     "prescribes the value; the effort this needs is reported"},
    {"joint.dof.spring", FIELD_STRUCT, "1", "", "", FIXED, "", "", "spring along it"},
    {"joint.dof.spring.coeff", FIELD_NUM, "nx1", "0", "N/m, N m/rad", FORCE, "", "", "stiffness"},
    {"joint.dof.spring.init", FIELD_NUM, "nx1", "0", "m, rad", FORCE, "nan", "", "rest value"},
    {"joint.dof.spring.compr", FIELD_NUM, "nx1", "1", "", FORCE, "", "(0,1]",
     "factor on the rest value: below 1 the spring is under tension at `init`"},
    {"joint.dof.dir", FIELD_INT, "nx1", "0", "", FIXED, "", "-1|0|1",
     "when spring, damper and input act: 1 above the rest value, -1 below it, 0 always"},
    {"joint.dof.damp", FIELD_STRUCT, "1", "", "", FIXED, "", "", "damper along it"},
    {"joint.dof.damp.visc", FIELD_NUM, "nx1", "0", "N s/m, N m s/rad", FORCE, "", "", "viscosity"},
    {"joint.dof.damp.pow", FIELD_NUM, "nx1", "1", "", PARAM, "", "> 0",
     "power p of the law -visc*abs(u)^p*sign(u)"},
    {"joint.dof.input", FIELD_NUM, "nx1", "0", "N, N m", FORCE, "", "", "force or torque along it"},
    {"joint.dir", FIELD_INT, "nx1|nx3", "0", "", FIXED, "", "-1|0|1",
     "1 acts in elongation only (a rope), -1 in compression only (a soft contact), 0 in both; "
     "three "
     "values: for each axis of a beam; it switches spring, damper and input"},
    {"joint.xaxis", FIELD_NUM, "nx3", "", "", PARAM, "", "",
     "direction of the x axis of a beam whose z axis runs along it"},
    {"joint.spring", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "spring between two places: one column acts along the line, six make a beam "
     "[shear x, shear y, stretch, bend x, bend y, twist]"},
    {"joint.spring.coeff", FIELD_NUM, "nx1|nx6", "0", "N/m, N m/rad", FORCE, "", "", "stiffness"},
    {"joint.spring.init", FIELD_NUM, "nx1|nx6", "0", "m, rad", FORCE, "nan", "",
     "rest length, or rest values of the six"},
    {"joint.spring.compr", FIELD_NUM, "nx1|nx6", "1", "", FORCE, "", "(0,1]",
     "factor on the rest values: below 1 the spring is under tension at `init`"},
    {"joint.damp", FIELD_STRUCT, "1", "", "", FIXED, "", "", "damper between the two places"},
    {"joint.damp.visc", FIELD_NUM, "nx1|nx6", "0", "N s/m, N m s/rad", FORCE, "", "", "viscosity"},
    {"joint.damp.pow", FIELD_NUM, "nx1|nx6", "1", "", PARAM, "", "> 0",
     "power p of the law -visc*abs(u)^p*sign(u)"},
    {"joint.damp.along", FIELD_FLAG, "1", "0", "", FIXED, "", "",
     "with one column: 0 damps each component of the relative velocity in the world, as published; "
     "1 the change of length, which conserves angular momentum"},
    {"joint.input", FIELD_NUM, "nx1|nx6", "0", "N, N m", FORCE, "", "",
     "force along the line, or the six of a beam"},
    {"joint.refbody", FIELD_PLACE, "", "[0 1]", "", FIXED, "", "",
     "body along whose axes the constrained displacements are counted; 0 is the world"},
    {"joint.fixed", FIELD_FLAG, "nx1|nx3|nx6", "0", "", FIXED, "", "",
     "which of [x y z rx ry rz] are constrained: displacements along the axes of `refbody`, "
     "rotations about those of the first place; fewer columns mean the first ones"},
    {"joint.control", FIELD_NUM, "nx1|nx3|nx6", "0", "m/s^2, rad/s^2", FORCE, "", "",
     "acceleration along the constrained directions; 0 holds them; three are those along x, y, z"},
    {"joint.motion", FIELD_NUM, "nx1|nx2|nx3|nx4|nx5|nx6", "", "m, rad", TIMED, "", "",
     "of a main joint: prescribes all its degrees of freedom in order, as `dof(i).motion`; a "
     "rotation by a quaternion, of type 'spherical' or 'free', is given by its rotation vector, of "
     "any length. With `fixed`: position along the constrained directions x, y, z and, with six "
     "columns, the rotation vector from the first frame to the second, shorter than pi, instead of "
     "`control`. Rates and accelerations follow from it"},
    {"joint.type", FIELD_STR, "", "", "", FIXED, "",
     "fixed|revolute|prismatic|helical|cylindrical|planar|universal|spherical|free",
     "shorthand for the degrees of freedom; on a body that has its main joint it closes a loop"},
    {"joint.axis", FIELD_NUM, "1x3|2x3", "[0 0 1]", "", FIXED, "", "",
     "axis of `type` (the normal of a planar joint); a universal joint has two rows, "
     "[1 0 0; 0 1 0] by default"},
    {"joint.pitch", FIELD_NUM, "1", "", "m/rad", PARAM, "", "",
     "advance of a helical joint; required there"},
    {"joint.beam", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "how a six-column spring measures strain"},
    {"joint.beam.frame", FIELD_STR, "", "first", "", FIXED, "", "first|mid",
     "frame of the first body, or the one half-way between the two, which is of second order"},
    {"joint.chart", FIELD_STR, "", "quaternion", "", FIXED, "", "quaternion|vector",
     "what is integrated for rot = [0 inf inf inf] and [0 0 inf 0]: the whole unit quaternion and "
     "the angular velocity, or the vector part itself, up to half a turn"},
    {"joint.name", FIELD_STR, "", "", "", FIXED, "", "", "name in messages and results; unique"},

    // ---- rod ----------------------------------------------------------------------------------
    {"rod", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "slender bodies that bend, twist, shear and stretch; local z runs along the rod"},
    {"rod.name", FIELD_STR, "", "", "", FIXED, "", "", "name in messages and results; unique"},
    {"rod.first", FIELD_PLACE, "", "[0 0]", "", FIXED, "", "",
     "place it grows from; 0 is the ground"},
    {"rod.tr", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "fixed transformations from that place to the rod's base"},
    {"rod.tr.trans", FIELD_NUM, "1x3", "[0 0 0]", "m", PARAM, "", "", "translation"},
    {"rod.tr.rot", FIELD_NUM, "1x2|1x3|1x4", "[0 0]", "rad", PARAM, "", "",
     "rotation: [axis angle]; three angles; [0 x y z] with norm([x y z]) < 1, the vector part of a "
     "unit quaternion; otherwise [angle axis]"},
    {"rod.joint", FIELD_STRUCT, "1", "", "", FIXED, "", "", "how its base is held"},
    {"rod.joint.type", FIELD_STR, "", "fixed", "", FIXED, "",
     "fixed|revolute|prismatic|helical|cylindrical|planar|universal|spherical|free",
     "kind of joint; 'free' makes a flying rod"},
    {"rod.joint.axis", FIELD_NUM, "1x3|2x3", "[0 0 1]", "", FIXED, "", "", "its axis"},
    {"rod.joint.pitch", FIELD_NUM, "1", "", "m/rad", PARAM, "", "", "of a helical joint"},
    {"rod.joint.motion", FIELD_NUM, "1|1x2|1x3|1x6", "", "m, rad", TIMED, "", "",
     "prescribes all its degrees of freedom; rotations of type 'spherical' or 'free' by the "
     "rotation vector"},
    {"rod.joint.dof", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "its degrees of freedom, with the fields of `joint.dof`"},
    {"rod.joint.dof.init", FIELD_NUM, "1", "0", "m, rad", PARAM, "", "", "initial value"},
    {"rod.joint.dof.rate", FIELD_NUM, "1", "0", "m/s, rad/s", PARAM, "", "", "initial rate"},
    {"rod.joint.dof.motion", FIELD_NUM, "1", "", "m, rad", TIMED, "", "", "prescribes the value"},
    {"rod.joint.dof.spring", FIELD_STRUCT, "1", "", "", FIXED, "", "", "spring along it"},
    {"rod.joint.dof.spring.coeff", FIELD_NUM, "1", "0", "N/m, N m/rad", FORCE, "", "", "stiffness"},
    {"rod.joint.dof.spring.init", FIELD_NUM, "1", "0", "m, rad", FORCE, "nan", "", "rest value"},
    {"rod.joint.dof.spring.compr", FIELD_NUM, "1", "1", "", FORCE, "", "(0,1]",
     "factor on the rest value"},
    {"rod.joint.dof.damp", FIELD_STRUCT, "1", "", "", FIXED, "", "", "damper along it"},
    {"rod.joint.dof.damp.visc", FIELD_NUM, "1", "0", "N s/m, N m s/rad", FORCE, "", "",
     "viscosity"},
    {"rod.joint.dof.damp.pow", FIELD_NUM, "1", "1", "", PARAM, "", "> 0", "power of the law"},
    {"rod.joint.dof.input", FIELD_NUM, "1", "0", "N, N m", FORCE, "", "", "force along it"},
    {"rod.length", FIELD_NUM, "1", "sum of the parts", "m", FIXED, "", "> 0",
     "length at rest; required of a rod without parts"},
    {"rod.section", FIELD_STR, "", "circle", "", FIXED, "", "circle|ring|ellipse|rectangle|custom",
     "shape of the cross-section"},
    {"rod.radius", FIELD_NUM, "1|1x2", "", "m", ALONG, "", "> 0",
     "radius of a circle, [outer inner] of a ring"},
    {"rod.width", FIELD_NUM, "1", "", "m", ALONG, "", "> 0",
     "of a rectangle or ellipse, along local x"},
    {"rod.height", FIELD_NUM, "1", "", "m", ALONG, "", "> 0",
     "of a rectangle or ellipse, along local y"},
    {"rod.area", FIELD_NUM, "1", "", "m^2", ALONG, "", "> 0", "of a custom section"},
    {"rod.Ix", FIELD_NUM, "1", "", "m^4", ALONG, "", "> 0", "second moment about local x, custom"},
    {"rod.Iy", FIELD_NUM, "1", "", "m^4", ALONG, "", "> 0", "second moment about local y, custom"},
    {"rod.J", FIELD_NUM, "1", "", "m^4", ALONG, "", "> 0", "torsion constant, custom"},
    {"rod.E", FIELD_NUM, "1", "", "Pa", BENT, "", "> 0", "Young's modulus"},
    {"rod.nu", FIELD_NUM, "1", "0.5", "", PARAM, "", "(-1,0.5]", "Poisson's ratio"},
    {"rod.G", FIELD_NUM, "1", "E/2/(1+nu)", "Pa", BENT, "", "> 0", "shear modulus"},
    {"rod.shear", FIELD_NUM, "1", "1", "", PARAM, "", "> 0", "shear factor"},
    {"rod.rho", FIELD_NUM, "1", "", "kg/m^3", ALONG, "", ">= 0", "density"},
    {"rod.eta", FIELD_NUM, "1", "0", "Pa s", BENT, "", ">= 0",
     "shear viscosity: damping per length eta*[A A 3A 3Ix 3Iy J]"},
    {"rod.stiffness", FIELD_NUM, "1x6|6x6", "", "N, N m^2", BENT, "", "",
     "stiffness per length instead of E, G and the section"},
    {"rod.energy", FIELD_NUM, "1", "", "N", ENERGY, "", "",
     "strain energy per length, an expression of strain(1) ... strain(6) and s, instead of `E` or "
     "`stiffness`: a hyperelastic law"},
    {"rod.damping", FIELD_NUM, "1x6|6x6", "", "N s, N m^2 s", BENT, "", "",
     "damping per length instead of eta"},
    {"rod.inertia", FIELD_NUM, "1x6", "", "kg/m, kg m", ALONG, "", ">= 0",
     "mass (three times) and rotary inertia per length instead of rho and the section"},
    {"rod.damp", FIELD_STRUCT, "1", "", "", FIXED, "", "", "damping by a power law"},
    {"rod.damp.visc", FIELD_NUM, "1|1x6", "0", "", BENT, "", ">= 0", "per length and strain rate"},
    {"rod.damp.pow", FIELD_NUM, "1", "1", "", PARAM, "", "> 0", "power of the law"},
    {"rod.modes", FIELD_FLAG, "1x6", "[1 1 1 1 1 1]", "", FIXED, "", "",
     "strains that may change: [shear x, shear y, stretch, bend x, bend y, twist]"},
    {"rod.shape", FIELD_NUM, "1x6", "[0 0 0 0 0 0]", "1, 1/m", ALONG, "", "",
     "stress-free strain; stretch is measured from 1"},
    {"rod.init", FIELD_NUM, "1x6|1xm", "shape", "1, 1/m", ALONG, "", "",
     "initial strain; 'gvs': or the coordinates themselves"},
    {"rod.rate", FIELD_NUM, "1x6|1xm", "[0 0 0 0 0 0]", "1/s, 1/m/s", ALONG, "", "",
     "initial strain rate"},
    {"rod.load", FIELD_NUM, "1x6", "[0 0 0 0 0 0]", "N/m, N", SEEN, "", "",
     "distributed load per length [force moment]; may depend on `here`, pos(rod(k), s), rot, quat, "
     "vel, omega and strain there"},
    {"rod.load_frame", FIELD_STR, "", "world", "", FIXED, "", "world|local",
     "axes of `load`: 'local' follows the rod"},
    {"rod.input", FIELD_NUM, "1x6", "[0 0 0 0 0 0]", "N, N m", SEEN, "", "",
     "internal actuation [force moment] that works on the strains"},
    {"rod.model", FIELD_STR, "", "gvs", "", FIXED, "", &TD_ROD_MODELS(MODEL_OPTION)[1],
     "continuum model (`n` is how fine it is" TD_ROD_MODELS(MODEL_TEXT) ")"},
    {"rod.n", FIELD_INT, "1", "4", "", FIXED, "", ">= 1",
     "number of segments, polynomial order ('rom'), or order of all strains ('gvs'; above 10: "
     "elements of order 4 with n + 1 functions or up to 4 more)"},
    {"rod.basis", FIELD_LIST, "", "legendre", "", FIXED, "", "",
     "shape functions of the strains ('gvs'): one name, or a cell of six: " TD_BASES(
         BASIS_NAME) "custom"},
    {"rod.order", FIELD_INT, "1|1x6", "n", "", FIXED, "", ">= -1",
     "order of the basis of each strain ('gvs'); -1: the strain is held"},
    {"rod.elements", FIELD_INT, "1|1x6", "1", "", FIXED, "", ">= 1",
     "elements of the basis of each strain ('gvs')"},
    {"rod.functions", FIELD_NUM, "6xm", "", "", ALONG, "", "",
     "functions of s of a custom basis ('gvs'), one row for each strain, padded with zeros"},
    {"rod.coords", FIELD_INT, "1", "", "", FIXED, "", ">= 1",
     "number of coordinates of a strain field that is written out ('gvs')"},
    {"rod.strain", FIELD_NUM, "1x6", "", "1, 1/m", OWN, "", "",
     "strain field as an expression of s, t and coord(rod(k)), instead of a basis ('gvs')"},
    {"rod.points", FIELD_NUM, "1|2xm", "", "", FIXED, "", ">= 0",
     "quadrature points along the rod ('rom', 'gvs'; in each element): how many, or nodes and "
     "weights on [0,1] in two rows; chosen by itself from the order"},
    {"rod.magnus", FIELD_INT, "1", "", "", FIXED, "", "2|4|6",
     "order of the steps from point to point ('gvs'); chosen by itself from the order"},
    {"rod.part", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "stretches that follow each other, each with any of the fields of its rod from `length` on; "
     "what a part does not say is the rod's"},
    {"rod.part.length", FIELD_NUM, "1", TD_REQUIRED, "m", FIXED, "", "> 0",
     "length of the part at rest"},

    {"rod.fluid", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "what the fluid does to it, where `fluid.rho` is not 0"},
    {"rod.fluid.drag", FIELD_NUM, "1x3", "[1.1 1.1 0.01]", "", ALONG, "", ">= 0",
     "coefficients C along local x, y, z: force per length -rho/2*2*radius*C*abs(v)*v"},
    {"rod.fluid.lift", FIELD_NUM, "1|1x3", "0", "", ALONG, "", "",
     "coefficients l of a force across the flow: C has the skew matrix of l added, one number is "
     "about local z"},
    {"rod.fluid.drag_matrix", FIELD_NUM, "3x3", "", "", ALONG, "", "",
     "the whole matrix C instead of drag and lift"},
    {"rod.fluid.added_mass", FIELD_NUM, "1x3", "[0.6 0.6 0]", "", ALONG, "", ">= 0",
     "added mass per length, as part of the displaced fluid's, along local x, y, z"},

    // ---- chamber ------------------------------------------------------------------------------
    {"chamber", FIELD_STRUCTS, "", "", "", FIXED, "", "", "pneumatic chambers inside rods"},
    {"chamber.rod", FIELD_INT, "1", "1", "", FIXED, "", ">= 1", "rod it is in"},
    {"chamber.offset", FIELD_NUM, "1x2", "[0 0]", "m", BENT, "", "",
     "[x y] of its centre in the section"},
    {"chamber.area", FIELD_NUM, "1", TD_REQUIRED, "m^2", BENT, "", "> 0", "area of its section"},
    {"chamber.pressure", FIELD_NUM, "1", TD_REQUIRED, "Pa", BENT, "", "",
     "pressure above the surroundings"},
    {"chamber.from", FIELD_NUM, "1", "0", "m", FIXED, "", ">= 0", "arc length at which it begins"},
    {"chamber.to", FIELD_NUM, "1", "length", "m", FIXED, "", "> 0", "arc length at which it ends"},

    // ---- cable --------------------------------------------------------------------------------
    {"cable", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "cables that pull: through rods, or straight between places"},
    {"cable.name", FIELD_STR, "", "", "", FIXED, "", "", "name in messages and results; unique"},
    {"cable.rod", FIELD_INT, "1xm", "1", "", FIXED, "", ">= 1",
     "rod it runs through, or several in order from where it is pulled"},
    {"cable.path", FIELD_NUM, "1x2", "[0 0]", "m", ALONG, "", "",
     "[x y] where it passes the section; s counts from the base of each rod"},
    {"cable.from", FIELD_NUM, "1", "0", "m", FIXED, "", ">= 0",
     "arc length at which it enters the first rod"},
    {"cable.to", FIELD_NUM, "1", "length", "m", FIXED, "", "> 0",
     "arc length of the last rod at which it is fastened"},
    {"cable.tension", FIELD_NUM, "1", "", "N", FORCE, "", ">= 0",
     "tension, by which it pulls: a cable does not push"},
    {"cable.pull", FIELD_NUM, "1", "", "m", FORCE, "", "",
     "instead of a tension: how much shorter the cable is drawn than at the start; it may go "
     "slack"},
    {"cable.stiffness", FIELD_NUM, "1", "inf", "N/m", FORCE, "hard", "> 0",
     "with `pull`: tension per length by which it is stretched; by default it cannot be stretched"},
    {"cable.friction", FIELD_NUM, "1", "0", "", PARAM, "", ">= 0",
     "coefficient of friction inside rods: the tension decreases by exp(-friction*angle) along it "
     "while it is pulled"},
    {"cable.via", FIELD_PLACES, "", "", "", FIXED, "", "",
     "instead of rods: places between which it runs straight and slides freely"},
    {"cable.points", FIELD_NUM, "mx3", "", "m", PARAM, "", "",
     "a row for each place of `via`: the point in its frame, by default its origin"},

    // ---- contact ------------------------------------------------------------------------------
    {"contact", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "soft contact of rods, bodies and meshes with fixed objects and with each other"},
    {"contact.name", FIELD_STR, "", "", "", FIXED, "", "", "name in messages and results; unique"},
    {"contact.first", FIELD_PLACE, "", TD_REQUIRED, "", FIXED, "", "",
     "what touches: a rod with its points, a body with balls at `points`, or a mesh with balls "
     "at its nodes"},
    {"contact.second", FIELD_TARGET, "", TD_REQUIRED, "", FIXED, "", "plane|sphere|cylinder",
     "what is touched, or a rod, body or mesh"},
    {"contact.points", FIELD_NUM, "mx3", "[0 0 0]", "m", PARAM, "", "",
     "centres of the balls of a body `first`, in its frame"},
    {"contact.ball", FIELD_NUM, "1", "0", "m", PARAM, "", ">= 0", "their radius"},
    {"contact.points2", FIELD_NUM, "mx3", "[0 0 0]", "m", PARAM, "", "",
     "centres of the balls of a body `second`"},
    {"contact.ball2", FIELD_NUM, "1", "0", "m", PARAM, "", ">= 0", "their radius"},
    {"contact.point", FIELD_NUM, "1x3", "[0 0 0]", "m", TIMED, "", "",
     "a point of the plane, which may move"},
    {"contact.normal", FIELD_NUM, "1x3", "[0 0 1]", "", PARAM, "", "",
     "direction out of the plane, to where the robot may be"},
    {"contact.center", FIELD_NUM, "1x3", "[0 0 0]", "m", TIMED, "", "",
     "centre of the sphere, a point on the axis of the cylinder"},
    {"contact.axis", FIELD_NUM, "1x3", "[0 0 1]", "", PARAM, "", "", "axis of the cylinder"},
    {"contact.radius", FIELD_NUM, "1", "", "m", PARAM, "", "> 0",
     "of the sphere or cylinder, which must have it; elsewhere of the balls of a body `first`"},
    {"contact.stiffness", FIELD_NUM, "1", TD_REQUIRED, "N/m, N/m^2", PARAM, "", "> 0",
     "force per depth k: of each point, or per length of a rod"},
    {"contact.exponent", FIELD_NUM, "1", "1", "", PARAM, "", ">= 1", "e of the force k*depth^e"},
    {"contact.damping", FIELD_NUM, "1", "0", "s/m, N s/m", PARAM, "", ">= 0", "d, see `law`"},
    {"contact.law", FIELD_STR, "", "hunt", "", FIXED, "", "hunt|approach",
     "with the speed w of approach: k*depth^e*(1 + d*w), never negative; or "
     "k*depth^e + d*max(0,w)"},
    {"contact.friction", FIELD_NUM, "1", "0", "", PARAM, "", ">= 0", "coefficient of friction"},
    {"contact.slip", FIELD_NUM, "1", "1e-3", "m/s", PARAM, "", "> 0",
     "speed above which friction is that of Coulomb; below it is viscous"},
    {"contact.per", FIELD_STR, "", "length", "", FIXED, "", "length|point",
     "whether stiffness (and damping of 'approach') of a rod are per length or for each of its "
     "points"},

    // ---- mesh ---------------------------------------------------------------------------------
    {"mesh", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "nets: a mass at each node, a spring or beam along each edge; the nodes are bodies numbered "
     "after those written"},
    {"mesh.name", FIELD_STR, "", "", "", FIXED, "", "", "name in messages and results; unique"},
    {"mesh.file_name", FIELD_STR, "", "", "", FIXED, "", "",
     "wireframe to read: an IGES file (.igs, .iges) or an STL file (.stl), beside the model"},
    {"mesh.tol", FIELD_NUM, "1", "extent/1e6", "m", FIXED, "", ">= 0",
     "nodes of the file within this distance are one"},
    {"mesh.chord", FIELD_NUM, "1", "extent/100", "m", FIXED, "", "> 0",
     "largest distance between a curve of the file and the edges that replace it"},
    {"mesh.unit", FIELD_NUM, "1", "as the IGES file says; 1e-3 for STL", "m", FIXED, "", "> 0",
     "length of one unit of the file"},
    {"mesh.grid", FIELD_INT, "1|1x2|1x3", "", "", FIXED, "", ">= 1",
     "instead of a file: nodes along x, y and z"},
    {"mesh.size", FIELD_NUM, "1|1x2|1x3", "1 each", "m", FIXED, "", "> 0",
     "extent of the grid along x, y and z, from the origin"},
    {"mesh.node", FIELD_NUM, "mx3", "", "m", FIXED, "", "",
     "instead of a file: a row of coordinates for each node"},
    {"mesh.edge", FIELD_INT, "mx2", "", "", FIXED, "", ">= 1",
     "with `node`: a row with the numbers of two nodes for each edge"},
    {"mesh.fixed", FIELD_NODES, "", "edge of a grid, ends of others", "", FIXED, "",
     "edge|corners|frame|ends|none",
     "nodes fixed to the ground: a grid's first row ('edge'), corners or boundary ('frame'); nodes "
     "with a single edge ('ends'); or their numbers"},
    {"mesh.tr", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "fixed transformations from the ground to the mesh, in order: each moves, then turns"},
    {"mesh.tr.trans", FIELD_NUM, "1x3", "[0 0 0]", "m", FIXED, "", "", "translation"},
    {"mesh.tr.rot", FIELD_NUM, "1x2|1x3|1x4", "[0 0]", "rad", FIXED, "", "",
     "rotation: [axis angle]; three angles; [0 x y z] with norm([x y z]) < 1, the vector part of a "
     "unit quaternion; otherwise [angle axis]"},
    {"mesh.body", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "body(1): the mass at each node; body(2), with `joint(2).rom`: that of the edges per length"},
    {"mesh.body.m", FIELD_NUM, "nx1", "1e-9", "kg", PARAM, "", ">= 0",
     "mass of a node; one number for all, or one for each node; of body(2) mass per length"},
    {"mesh.body.I", FIELD_NUM, "3x3xn", "1e-9*eye(3)", "kg m^2", PARAM, "", "",
     "inertia of a node that turns, in the axes of the mesh; of body(2) per length, diagonal, in "
     "those of the edge"},
    {"mesh.fluid", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "what the fluid does to the edges, where `fluid.rho` is not 0; diagonals are left out"},
    {"mesh.fluid.width", FIELD_NUM, "nx1", TD_REQUIRED, "m", PARAM, "", "> 0",
     "diameter of an edge; one number for all, or one for each edge"},
    {"mesh.fluid.drag", FIELD_NUM, "1x2|1x3", "[1.1 0.01]", "", PARAM, "", ">= 0",
     "coefficients C across and along an edge: force per length -rho/2*width*C*abs(v)*v; as a "
     "rod's, [x y z] with x and y the same"},
    {"mesh.joint", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "joint(1): the freedom of a node; joint(2): what each edge is; joint(3): what the diagonals "
     "of a grid's cells are"},
    {"mesh.joint.rom", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "joint(2): makes each edge a polynomial rod that is clamped to both of its nodes; spring, "
     "damp "
     "and input are then per length, as those of `joint.rom`"},
    {"mesh.joint.rom.order", FIELD_INT, "1", TD_REQUIRED, "", FIXED, "", ">= 1",
     "polynomial order"},
    {"mesh.joint.rom.points", FIELD_NUM, "1|2xm", "", "", FIXED, "", ">= 0",
     "quadrature points, as `rod.points`"},
    {"mesh.joint.tr", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "joint(1): how a node moves; joint(2) with `rom`: all components are `inf`"},
    {"mesh.joint.tr.trans", FIELD_NUM, "1x3", "[inf inf inf]", "", FIXED, "inf", "",
     "directions it moves along (inf), in the world; 0 in others"},
    {"mesh.joint.tr.rot", FIELD_NUM, "1x4", "", "", FIXED, "inf", "",
     "[0 inf inf inf] or [inf inf inf inf]: it turns freely, by a whole quaternion"},
    {"mesh.joint.dof", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "joint(1): the directions a node moves along, in order"},
    {"mesh.joint.dof.rate", FIELD_NUM, "nx1", "0", "m/s", PARAM, "", "", "initial velocity"},
    {"mesh.joint.dof.spring", FIELD_STRUCT, "1", "", "", FIXED, "", "", "spring to the ground"},
    {"mesh.joint.dof.spring.coeff", FIELD_NUM, "nx1", "0", "N/m", FORCE, "", "", "stiffness"},
    {"mesh.joint.dof.spring.init", FIELD_NUM, "nx1", "nan", "m", FORCE, "nan", "",
     "rest value; nan is where the node starts"},
    {"mesh.joint.dof.damp", FIELD_STRUCT, "1", "", "", FIXED, "", "", "damper to the ground"},
    {"mesh.joint.dof.damp.visc", FIELD_NUM, "nx1", "0", "N s/m", FORCE, "", "", "viscosity"},
    {"mesh.joint.dof.damp.pow", FIELD_NUM, "nx1", "1", "", PARAM, "", "> 0", "power of the law"},
    {"mesh.joint.dof.input", FIELD_NUM, "nx1", "0", "N", FORCE, "", "", "force along it"},
    {"mesh.joint.dir", FIELD_INT, "nx1|nx3", "0", "", FIXED, "", "-1|0|1",
     "1 acts in elongation only (a thread), -1 in compression only, 0 in both"},
    {"mesh.joint.xaxis", FIELD_NUM, "nx3", "", "", FIXED, "", "",
     "direction of the x axis of a beam whose z axis runs along its edge"},
    {"mesh.joint.beam", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "how a six-column spring measures strain"},
    {"mesh.joint.beam.frame", FIELD_STR, "", "first", "", FIXED, "", "first|mid",
     "axes of its first node, or of the frame half-way between the two: then z runs along the edge "
     "and the beam is of second order"},
    {"mesh.joint.spring", FIELD_STRUCT, "1", "", "", FIXED, "", "",
     "spring of an edge: one column acts along it, six make a beam"},
    {"mesh.joint.spring.coeff", FIELD_NUM, "nx1|nx6", "0", "N/m, N m/rad", FORCE, "", "",
     "stiffness; one row for all edges, or one for each"},
    {"mesh.joint.spring.init", FIELD_NUM, "nx1|nx6", "nan", "m, rad", FORCE, "nan", "",
     "rest length, or rest values of the six; nan takes them from the geometry"},
    {"mesh.joint.spring.compr", FIELD_NUM, "nx1|nx6", "1", "", FORCE, "", "(0,1]",
     "factor on the rest values: below 1 the edge is under tension at `init`"},
    {"mesh.joint.damp", FIELD_STRUCT, "1", "", "", FIXED, "", "", "damper of an edge"},
    {"mesh.joint.damp.visc", FIELD_NUM, "nx1|nx6", "0", "N s/m, N m s/rad", FORCE, "", "",
     "viscosity"},
    {"mesh.joint.damp.pow", FIELD_NUM, "nx1|nx6", "1", "", PARAM, "", "> 0",
     "power p of the law -visc*abs(u)^p*sign(u)"},
    {"mesh.joint.damp.along", FIELD_FLAG, "1", "1, from a file 0", "", FIXED, "", "",
     "with one column: 1 damps the change of length, 0 each component of the relative velocity in "
     "the world, as published for CAD files"},
    {"mesh.joint.input", FIELD_NUM, "nx1|nx6", "0", "N, N m", FORCE, "", "",
     "force along the edge, or the six of a beam"},

    // ---- exload -------------------------------------------------------------------------------
    {"exload", FIELD_STRUCTS, "", "", "", FIXED, "", "", "external loads"},
    {"exload.exbody", FIELD_PLACE, "", TD_REQUIRED, "", FIXED, "", "", "body it acts on"},
    {"exload.refbody", FIELD_PLACE, "", "[0 1]", "", FIXED, "", "",
     "body in whose frame the load is given; 0 is the world"},
    {"exload.tr", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "transformations from the body's frame to the point of action"},
    {"exload.tr.trans", FIELD_NUM, "1x3", "[0 0 0]", "m", PARAM, "", "", "translation"},
    {"exload.tr.rot", FIELD_NUM, "1x2|1x3|1x4", "[0 0]", "rad", PARAM, "", "",
     "rotation: [axis angle]; three angles; [0 x y z] with norm([x y z]) < 1, the vector part of a "
     "unit quaternion; otherwise a quaternion [w x y z]"},
    {"exload.ftau", FIELD_NUM, "nx3|nx6", "[0 0 0 0 0 0]", "N, N m", FORCE, "", "",
     "force, or force and torque"},

    // ---- dynamics -----------------------------------------------------------------------------
    {"dynamics", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "rates of the internal states that `internal` declares, one for each"},
    {"dynamics.of", FIELD_STR, "", TD_REQUIRED, "", FIXED, "", "", "name of the internal state"},
    {"dynamics.rate", FIELD_NUM, "1", TD_REQUIRED, "", FORCE, "", "",
     "its rate: any expression that a force may be"},
    {"dynamics.unit", FIELD_STR, "", "", "", FIXED, "", "",
     "unit of the state in the results, up to 24 characters, as 'kg'"},

    // ---- sensor, output, event ----------------------------------------------------------------
    {"sensor", FIELD_STRUCTS, "", "", "", FIXED, "", "", "quantities to record"},
    {"sensor.name", FIELD_STR, "", TD_REQUIRED, "", FIXED, "", "", "name in the results; unique"},
    {"sensor.value", FIELD_NUM, "", TD_REQUIRED, "", WATCH, "", "", "any expression"},
    {"sensor.noise", FIELD_NUM, "", "0", "", PARAM, "", ">= 0",
     "standard deviation of a measurement by a sampled controller or an observer; results hold "
     "exact values"},
    {"sensor.quantum", FIELD_NUM, "", "0", "", PARAM, "", ">= 0",
     "smallest step of a measurement, 0: none"},
    {"output", FIELD_LIST, "", "all sensors, q, v and internal states", "", FIXED, "", "",
     "what the result files hold"},
    {"event", FIELD_STRUCTS, "", "", "", FIXED, "", "", "moments to find"},
    {"event.when", FIELD_NUM, "1", TD_REQUIRED, "", WATCH, "", "",
     "happens when this expression passes through zero"},
    {"event.then", FIELD_STR, "", "mark", "", FIXED, "", "stop|mark",
     "end the simulation, or only record the time"},
    {"event.name", FIELD_STR, "", "", "", FIXED, "", "", "name in the results; unique"},

    // ---- task, control ------------------------------------------------------------------------
    {"control", FIELD_STRUCTS, "", "", "", FIXED, "", "", "controllers that set inputs in `sim`"},
    {"control.inputs", FIELD_LIST, "", "all inputs", "", FIXED, "", "",
     "inputs it sets; those of `gains` are named in the file"},
    {"control.law", FIELD_NUM, "", "", "", TIMED | TD_ON_STATE | TD_ON_RATE | TD_ON_INTERNAL, "",
     "", "the inputs as expressions, as many as `inputs`"},
    {"control.gains", FIELD_STR, "", "", "", FIXED, "", "",
     "a file of `tendril lqr`, beside the model: u = u0 - K x"},
    {"control.from", FIELD_STR, "", "state", "", FIXED, "", "state|sensors",
     "with `gains`: x from the state itself, or estimated from the sensors with the file's L"},
    {"control.plugin", FIELD_STR, "", "", "", FIXED, "", "",
     "a shared library with the function td_controller, beside the model; only with "
     "`--allow-plugin`"},
    {"control.limits", FIELD_NUM, "1x2|mx2", "[-inf inf]", "", PARAM, "limit", "",
     "lowest and highest value of its inputs, one row for all or one for each"},
    {"task", FIELD_STRUCTS, "", "", "", FIXED, "", "",
     "motions that inputs are to bring about in `sim`"},
    {"task.name", FIELD_STR, "", "", "", FIXED, "", "", "name in messages; unique"},
    {"task.value", FIELD_NUM, "", TD_REQUIRED, "", TIMED | TD_ON_STATE, "", "",
     "what is to move: any expression of positions"},
    {"task.desired", FIELD_NUM, "", TD_REQUIRED, "", TIMED, "", "",
     "what it is to be, as many numbers"},
    {"task.P", FIELD_NUM, "", "0", "1/s^2", PARAM, "", ">= 0", "gain on the error"},
    {"task.I", FIELD_NUM, "", "0", "1/s^3", PARAM, "", ">= 0", "gain on its integral"},
    {"task.D", FIELD_NUM, "", "0", "1/s", PARAM, "", ">= 0", "gain on its rate"},
    {"task.inputs", FIELD_LIST, "", "all inputs", "", FIXED, "", "", "inputs it may use"},
    {"task.limits", FIELD_NUM, "1x2|mx2", "[-inf inf]", "", PARAM, "limit", "",
     "lowest and highest value of these inputs, one row for all or one for each"},
    {"task.damping", FIELD_NUM, "1", "0", "", PARAM, "", ">= 0",
     "keeps inputs small where the task is nearly singular: weight of the inputs against the "
     "task's acceleration"},
    {"task.calm", FIELD_NUM, "1", "D", "1/s", PARAM, "", ">= 0",
     "with more inputs than numbers of all tasks: the rate up to which motion that the tasks leave "
     "free is braked; 0: the smallest inputs"},
    {"task.feedforward", FIELD_STR, "", "dynamic", "", FIXED, "", "dynamic|static",
     "inputs from the exact equations of motion, or those that hold the desired value at rest"},
    {.path = NULL},
};

// Table k of fields: the one above, then those of forces that have a structure of their own, then
// fields of joints by which single hops are written; NULL: it has none.
enum { TABLES = 1 + FORCE_KINDS + HOP_KINDS };
static const td_field* table_at(int k) {
  if (k == 0) return own_fields;
  return k <= FORCE_KINDS ? td_force_words[k - 1]->fields
                          : td_hop_words[k - 1 - FORCE_KINDS]->fields;
}

const td_field* td_field_row(int i) {
  for (int k = 0; k < TABLES; k++)
    for (const td_field* f = table_at(k); f && f->path; f++)
      if (i-- == 0) return f;
  return NULL;
}

const td_alias td_aliases[] = {
    {"par.init", "par.nint"},
    {"par.n_int", "par.nint"},
    {"par.movie", "par.mov"},
    {"par.derive_collect", "par.fun"},
    {"par.derive_mex", "par.mex"},
    {"joint.dof.spring.comp", "joint.dof.spring.compr"},
    {"joint.spring.comp", "joint.spring.compr"},
    {"exload.body", "exload.exbody"},
    {"body.J", "body.I"},
    {"mesh.body.J", "mesh.body.I"},
    {"mesh.file", "mesh.file_name"},
    {"mesh.joint.spring.comp", "mesh.joint.spring.compr"},
};

const int td_alias_count = (int)(sizeof td_aliases / sizeof td_aliases[0]);

#define LATER " is not available in this version; "

const td_later td_laters[] = {
    {"mesh.fluid.added_mass",
     "mesh.fluid.added_mass" LATER "the mass of the nodes, mesh.body.m, may include it"},
};

const int td_later_count = (int)(sizeof td_laters / sizeof td_laters[0]);

const char* td_field_name(const td_field* field) {
  const char* dot = strrchr(field->path, '.');
  return dot ? dot + 1 : field->path;
}

static const td_field* find_row(const char* path) {
  for (int k = 0; k < TABLES; k++)
    for (const td_field* f = table_at(k); f && f->path; f++)
      if (strcmp(f->path, path) == 0) return f;
  return NULL;
}

// What a rod has as a whole; its parts share it.
bool td_field_of_part(const char* name) {
  static const char* const whole[] = {"name",       "first", "tr",  "joint",
                                      "load_frame", "model", "part"};
  const size_t length = strcspn(name, ".");
  for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
    if (strlen(whole[i]) == length && strncmp(whole[i], name, length) == 0) return false;
  return true;
}

// A part of a rod has its own fields and those of the rod that may change along it.
static const td_field* field_of_part(const char* name) {
  static const char* const rows[] = {"rod.part", "rod"};
  for (int k = 0; k < 2 && td_field_of_part(name); k++) {
    char path[64];
    const int n = snprintf(path, sizeof path, "%s.%s", rows[k], name);
    const td_field* f = n < (int)sizeof path ? find_row(path) : NULL;
    if (f) return f;
  }
  return NULL;
}

const td_field* td_field_find(const char* path) {
  for (int i = 0; i < td_alias_count; i++)
    if (strcmp(td_aliases[i].path, path) == 0) return find_row(td_aliases[i].meaning);
  if (strncmp(path, "rod.part.", 9) == 0) return field_of_part(path + 9);
  return find_row(path);
}

// Is `path` parent.name?  A parent of length 0 is the root.
static bool is_child(const char* path, const char* parent, size_t length, const char* name) {
  if (length == 0) return strcmp(path, name) == 0;
  return strncmp(path, parent, length) == 0 && path[length] == '.' &&
         strcmp(path + length + 1, name) == 0;
}

const td_field* td_field_child(const td_field* parent, const char* name) {
  const char* path = parent ? parent->path : "";
  if (strcmp(path, "rod.part") == 0) return field_of_part(name);
  const size_t length = strlen(path);

  const td_field* root = parent ? NULL : find_row(name);
  if (root) return root;
  // a parent's children follow it, up to the next root
  for (const td_field* f = parent ? parent + 1 : NULL; f && f->path; f++) {
    if (strncmp(f->path, path, length) != 0) break;
    if (is_child(f->path, path, length, name)) return f;
  }
  for (int k = 1 + FORCE_KINDS; k < TABLES; k++)
    for (const td_field* f = table_at(k); f && f->path; f++)
      if (is_child(f->path, path, length, name)) return f;
  for (int i = 0; i < td_alias_count; i++)
    if (is_child(td_aliases[i].path, path, length, name)) return find_row(td_aliases[i].meaning);
  return NULL;
}

double td_field_number(const char* path) {
  const td_field* field = td_field_find(path);
  if (!field || field->fallback[0] == '\0') return NAN;
  char* end;
  const double x = strtod(field->fallback, &end);
  return *end == '\0' ? x : (double)NAN;
}

const value* td_field_get(const value* s, int i, const char* path) {
  const td_field* field = td_field_find(path);
  if (!field) return NULL;
  const value* v = td_get(s, i, td_field_name(field));
  for (int k = 0; !v && k < td_alias_count; k++)
    if (strcmp(td_aliases[k].meaning, field->path) == 0)
      v = td_get(s, i, strrchr(td_aliases[k].path, '.') + 1);
  return v;
}

// One alternative, e.g. "nx6" or "3x3xn", against a size; numbers that are not written are 1.
static bool alternative_fits(const char* s, const char* end, const int size[3], int n) {
  for (int k = 0; k < 3; k++) {
    if (s >= end) {
      if (size[k] != 1) return false;
    } else if (*s == 'm') {
      if (size[k] < 1) return false;
    } else if (*s == 'n') {
      if (size[k] < 1 || (n > 0 && size[k] != 1 && size[k] != n)) return false;
    } else if (size[k] != *s - '0') {
      return false;
    }
    s += 2;  // past the digit and the 'x'
  }
  return true;
}

static bool shape_fits(const char* shape, const int size[3], int n) {
  while (*shape) {
    const char* end = shape + strcspn(shape, "|");
    if (alternative_fits(shape, end, size, n)) return true;
    shape = *end ? end + 1 : end;
  }
  return false;
}

td_fit td_field_fit(const char* shape, const value* v, int n) {
  const int size[3] = {v->rows, v->cols, v->pages};
  const int turned[3] = {v->cols, v->rows, v->pages};
  const bool vector = v->pages == 1 && (v->rows == 1 || v->cols == 1);
  if (shape[0] == '\0' || shape_fits(shape, size, n))
    return (td_fit){true, v->rows, v->cols, v->pages};
  if (vector && shape_fits(shape, turned, n)) return (td_fit){true, v->cols, v->rows, 1};
  return (td_fit){false, v->rows, v->cols, v->pages};
}

void td_field_alternatives(td_text* out, const char* list, const char* quote) {
  for (const char* s = list; *s;) {
    const int length = (int)strcspn(s, "|");
    if (s > list) td_text_add(out, strchr(s, '|') ? ", " : " or ");
    td_text_add(out, quote);
    td_text_addn(out, s, length);
    td_text_add(out, quote);
    s += s[length] ? length + 1 : length;
  }
}

bool td_field_has_option(const td_field* field, const char* word) {
  const size_t length = strlen(word);
  if (field->options[0] == '\0') return true;
  for (const char* s = field->options; s; s = strchr(s, '|')) {
    s += *s == '|';
    if (strcspn(s, "|") == length && strncmp(s, word, length) == 0) return true;
  }
  return false;
}

bool td_field_is_option(const char* word) {
  const td_field* f;
  for (int i = 0; (f = td_field_row(i)); i++)
    if (f->kind == FIELD_STR && f->options[0] != '\0' && td_field_has_option(f, word)) return true;
  return false;
}

const char* td_field_refused(const char* root) {
  for (int i = 0; i < td_later_count; i++)
    if (strcmp(td_laters[i].path, root) == 0) return td_laters[i].text;
  return NULL;
}

bool td_field_is_root(const char* name) {
  if (strchr(name, '.')) return false;
  return find_row(name) || td_field_refused(name);
}
