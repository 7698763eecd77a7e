// The list of commands.
//
// A line has the name, the arguments as the help shows them, the letters of the options that the
// command takes (option_table of options.c), how many targets it has (0: none, 1: one, -1: at most
// one, 2: a kind and one, 3: one or more files), and what the help says about it.  To add one: a
// line here, and cli/cmd_<name>.c with the function cmd_<name>.
#ifndef COMMANDS_H
#define COMMANDS_H

#define COMMON "osjq"  // -o, --set, --json, --quiet
#define SOLVER "rafdv"

#define COMMANDS(X)                                                                               \
  X(demo, "[NAME]", COMMON SOLVER "mk", -1, "list the built-in models, or run one")               \
  X(new, "[KIND]", "Oq", -1, "write a commented model to start from, or list the kinds")          \
  X(check, "MODEL", "sjqc", 1, "load and check; print what the model is made of")                 \
  X(run, "MODEL", COMMON SOLVER "hJmpnkAUzc", 1,                                                  \
    "what the file asks for (par.equil, par.modal, par.dyn)")                                     \
  X(equil, "MODEL", COMMON "@kzxc", 1, "static equilibrium and its stability")                    \
  X(modes, "MODEL", COMMON "n@kc", 1,                                                             \
    "natural frequencies, damping and shapes at the equilibrium")                                 \
  X(trace, "MODEL", COMMON "t@", 1, "equilibria along a parameter (--param P=a:b)")               \
  X(linearize, "MODEL", COMMON "@R", 1, "A, B, C, D about the equilibrium or a state")            \
  X(gradient, "MODEL", COMMON "9rafveB", 1,                                                       \
    "derivatives of sensors, energy and modes by params and inputs")                              \
  X(lqr, "MODEL", COMMON "@RQ", 1, "gains of a linear controller and observer")                   \
  X(bode, "MODEL", COMMON "@RHI", 1, "frequency response as CSV and SVG")                         \
  X(observe, "MODEL", COMMON "rav@KMENWe", 1,                                                     \
    "motion, forces and parameters from recorded sensors (--data FILE)")                          \
  X(fit, "MODEL", COMMON "6k", 1,                                                                 \
    "params from recordings of the robot (fit(k) of the model), with their intervals")            \
  X(sim, "MODEL", COMMON SOLVER "hJm@ekAUBc", 1, "dynamic simulation")                            \
  X(sweep, "MODEL", COMMON SOLVER "CeznU", 1,                                                     \
    "one analysis at many points of parameters and inputs, on threads or under mpirun")           \
  X(serve, "MODEL", "sjqrav@UL", 1,                                                               \
    "a plant at a fixed rate for a controller in another process, over UDP or shared memory")     \
  X(eval, "MODEL", "sjq@", 1, "the equations at one state (default: the initial one)")            \
  X(compare, "MODEL", COMMON SOLVER "liy", 1,                                                     \
    "the same rods in every continuum model: DOF, error, speed")                                  \
  X(view, "MODEL|DIR", "sjqwb", 1, "a model live in the browser, or the replay of results")       \
  X(report, "DIR", "qPGSTDO", 1, "renew report.html of results, or make a picture of it (--png)") \
  X(video, "DIR", "qSFVDO", 1, "the replay of results as a video (-o x.mp4)")                     \
  X(plot, "DIR", "qYXg5O", 1,                                                                     \
    "curves of results, strains along rods and snapshots as SVG or gnuplot script")               \
  X(derive, "MODEL", COMMON "412", 1,                                                             \
    "symbolic equations of motion as C, Octave, Python or LaTeX")                                 \
  X(export, "c|fmu MODEL", COMMON "3", 2,                                                         \
    "a standalone model: one C file, or a functional mock-up unit")                               \
  X(fmt, "FILE...", "qZ", 3, "format model texts; nothing but blanks changes")                    \
  X(lsp, "", "", 0, "a language server for editors, on the standard input and output")            \
  X(doctor, "", "j", 0, "parts found on this machine, and how to get missing ones")               \
  X(help, "[COMMAND]", "", -1, "this list, or the options of a command")

#endif
