// The functions of FMI 2.0 on the core before this text.

typedef void* fmi2Component;
typedef void* fmi2ComponentEnvironment;
typedef void* fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char* fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum {
  fmi2DoStepStatus,
  fmi2PendingStatus,
  fmi2LastSuccessfulTime,
  fmi2Terminated
} fmi2StatusKind;
typedef struct {
  void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
  void* (*allocateMemory)(size_t, size_t);
  void (*freeMemory)(void*);
  void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;
typedef struct {
  fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged,
      valuesOfContinuousStatesChanged, nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

#define EXPORT __attribute__((visibility("default")))
#define FMI(name) fmi2##name
#define STATUS(ok) ((ok) ? fmi2OK : fmi2Error)
#define FMI_DERIVATIVES fmi2GetDerivatives
#define FMI_SAVE fmi2GetFMUstate
#define FMI_LOAD fmi2SetFMUstate
#define FMI_DROP fmi2FreeFMUstate
#define FMI_SIZE fmi2SerializedFMUstateSize
#define FMI_BYTES fmi2SerializeFMUstate
#define FMI_FROM_BYTES fmi2DeSerializeFMUstate
typedef fmi2Status fmi_status;
typedef fmi2Boolean fmi_boolean;
typedef fmi2String fmi_string;
typedef fmi2Byte fmi_byte;

typedef struct instance2 {
  fmu* f;
  fmi2CallbackFunctions call;
  char name[128];
} instance2;

static void tell(void* user, const char* text, bool note) {
  const instance2* i = user;
  if (i->call.logger) {
    i->call.logger(i->call.componentEnvironment, i->name, note ? fmi2Warning : fmi2Error,
                   note ? "logStatusWarning" : "logStatusError", "%s", text);
  }
}

EXPORT const char* fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char* fmi2GetVersion(void) { return "2.0"; }

// Create an instance for model exchange or co-simulation; NULL if the guid is not that of this
// unit.
EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                                     fmi2String resources, const fmi2CallbackFunctions* call,
                                     fmi2Boolean visible, fmi2Boolean logging) {
  (void)resources, (void)visible, (void)logging;
  if (!name || !guid || strcmp(guid, FMU_GUID) != 0) return NULL;
  if (type != fmi2ModelExchange && type != fmi2CoSimulation) return NULL;
  instance2* i = calloc(1, sizeof *i);
  if (!i) return NULL;
  if (call) i->call = *call;
  strncpy(i->name, name, sizeof i->name - 1);
  i->f = fmu_new();
  if (!i->f) {
    free(i);
    return NULL;
  }
  i->f->cosim = type == fmi2CoSimulation;
  i->f->log = tell;
  i->f->user = i;
  return i;
}

EXPORT fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance,
                                      fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop,
                                      fmi2Real stop) {
  fmu* f = core_of(c);
  (void)has_stop, (void)stop;
  return STATUS(f && fmu_setup(f, has_tolerance, tolerance, start));
}

EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  fmu* f = core_of(c);
  return STATUS(f && fmu_pass(f, FMU_MADE, FMU_STARTING));
}

EXPORT fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference* vr, size_t n,
                              fmi2Real* x) {
  fmu* f = core_of(c);
  return STATUS(f && fmu_get_all(f, vr, n, x));
}

EXPORT fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference* vr, size_t n,
                              const fmi2Real* x) {
  fmu* f = core_of(c);
  return STATUS(f && fmu_set_all(f, vr, n, x));
}

// There are no other types than Real.
#define OTHER2(type)                                                                       \
  EXPORT fmi2Status fmi2Get##type(fmi2Component c, const fmi2ValueReference* vr, size_t n, \
                                  fmi2##type* x) {                                         \
    (void)vr, (void)x;                                                                     \
    return STATUS(c && n == 0);                                                            \
  }                                                                                        \
  EXPORT fmi2Status fmi2Set##type(fmi2Component c, const fmi2ValueReference* vr, size_t n, \
                                  const fmi2##type* x) {                                   \
    (void)vr, (void)x;                                                                     \
    return STATUS(c && n == 0);                                                            \
  }
OTHER2(Integer)
OTHER2(Boolean)
OTHER2(String)

EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference* unknown,
                                               size_t nunknown, const fmi2ValueReference* known,
                                               size_t nknown, const fmi2Real* seed, fmi2Real* out) {
  fmu* f = core_of(c);
  return STATUS(f && unknown && known && seed && out &&
                fmu_directional(f, unknown, nunknown, known, nknown, seed, out));
}

// Optional functions of the standard that this unit does not offer: they return an error.
#define REFUSED2(name, ...) \
  EXPORT fmi2Status name(__VA_ARGS__) { return fmi2Error; }
#pragma GCC diagnostic ignored "-Wunused-parameter"
REFUSED2(fmi2SetRealInputDerivatives, fmi2Component c, const fmi2ValueReference* vr, size_t n,
         const fmi2Integer* order, const fmi2Real* x)
REFUSED2(fmi2GetRealOutputDerivatives, fmi2Component c, const fmi2ValueReference* vr, size_t n,
         const fmi2Integer* order, fmi2Real* x)
REFUSED2(fmi2CancelStep, fmi2Component c)
REFUSED2(fmi2GetStatus, fmi2Component c, const fmi2StatusKind k, fmi2Status* x)
REFUSED2(fmi2GetIntegerStatus, fmi2Component c, const fmi2StatusKind k, fmi2Integer* x)
REFUSED2(fmi2GetStringStatus, fmi2Component c, const fmi2StatusKind k, fmi2String* x)

EXPORT fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
  fmu* f = core_of(c);
  if (!f || !info) return fmi2Error;
  memset(info, 0, sizeof *info);
  info->terminateSimulation = fmu_passed_stop(f);
  bool changed, next;
  if (!fmu_time_event(f, &changed, &next, &info->nextEventTime)) return fmi2Error;
  info->valuesOfContinuousStatesChanged = changed;
  info->nextEventTimeDefined = next;
  return fmi2OK;
}

// ---- co-simulation ----------------------------------------------------------------------------

EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_set) {
  fmu* f = core_of(c);
  (void)no_set;
  if (!f || !fmu_do_step(f, t, h)) return fmi2Error;
  return f->stopped ? fmi2Discard : fmi2OK;  // fmi2Terminated tells, and the last time
}

EXPORT fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind k, fmi2Real* x) {
  fmu* f = core_of(c);
  if (!f || !x || k != fmi2LastSuccessfulTime) return fmi2Error;
  *x = f->s.t;
  return fmi2OK;
}

EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind k, fmi2Boolean* x) {
  fmu* f = core_of(c);
  if (!f || !x || k != fmi2Terminated) return fmi2Error;
  *x = f->stopped;
  return fmi2OK;
}
