// The functions of FMI 3.0 on the core before this text.

typedef void* fmi3Instance;
typedef void* fmi3InstanceEnvironment;
typedef void* fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef char fmi3Char;
typedef const fmi3Char* fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte* fmi3Binary;
typedef bool fmi3Clock;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
  fmi3Independent,
  fmi3Constant,
  fmi3Fixed,
  fmi3Tunable,
  fmi3Discrete,
  fmi3Dependent
} fmi3DependencyKind;
typedef enum {
  fmi3IntervalNotYetKnown,
  fmi3IntervalUnchanged,
  fmi3IntervalChanged
} fmi3IntervalQualifier;
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64, fmi3Boolean,
                                               fmi3Boolean, fmi3Boolean, fmi3Boolean, fmi3Boolean*,
                                               fmi3Float64*);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

#define EXPORT __attribute__((visibility("default")))
#define FMI(name) fmi3##name
#define STATUS(ok) ((ok) ? fmi3OK : fmi3Error)
#define FMI_DERIVATIVES fmi3GetContinuousStateDerivatives
#define FMI_SAVE fmi3GetFMUState
#define FMI_LOAD fmi3SetFMUState
#define FMI_DROP fmi3FreeFMUState
#define FMI_SIZE fmi3SerializedFMUStateSize
#define FMI_BYTES fmi3SerializeFMUState
#define FMI_FROM_BYTES fmi3DeserializeFMUState
typedef fmi3Status fmi_status;
typedef fmi3Boolean fmi_boolean;
typedef fmi3String fmi_string;
typedef fmi3Byte fmi_byte;
#pragma GCC diagnostic ignored "-Wunused-parameter"

typedef struct instance3 {
  fmu* f;
  fmi3LogMessageCallback log;
  fmi3InstanceEnvironment environment;
} instance3;

static void tell(void* user, const char* text, bool note) {
  const instance3* i = user;
  if (!i->log) return;
  i->log(i->environment, note ? fmi3Warning : fmi3Error,
         note ? "logStatusWarning" : "logStatusError", text);
}

EXPORT const char* fmi3GetVersion(void) { return "3.0"; }

// Create an instance for model exchange or co-simulation; NULL if the token is not that of this
// unit.
static fmi3Instance instantiate(fmi3String name, fmi3String token, fmi3InstanceEnvironment env,
                                fmi3LogMessageCallback log, bool cosim) {
  if (!name || !token || strcmp(token, FMU_GUID) != 0) return NULL;
  instance3* i = calloc(1, sizeof *i);
  if (!i) return NULL;
  i->log = log;
  i->environment = env;
  i->f = fmu_new();
  if (!i->f) {
    free(i);
    return NULL;
  }
  i->f->cosim = cosim;
  i->f->log = tell;
  i->f->user = i;
  return i;
}

EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token,
                                                 fmi3String resources, fmi3Boolean visible,
                                                 fmi3Boolean logging, fmi3InstanceEnvironment env,
                                                 fmi3LogMessageCallback log) {
  return instantiate(name, token, env, log, false);
}
EXPORT fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
    const fmi3ValueReference* intermediate, size_t nintermediate, fmi3InstanceEnvironment env,
    fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update) {
  return instantiate(name, token, env, log, true);
}
EXPORT fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3InstanceEnvironment env, fmi3LogMessageCallback log,
    fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock,
    fmi3UnlockPreemptionCallback unlock) {
  return NULL;
}

EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance,
                                              fmi3Float64 tolerance, fmi3Float64 start,
                                              fmi3Boolean has_stop, fmi3Float64 stop) {
  fmu* f = core_of(c);
  return STATUS(f && f->mode == FMU_MADE && fmu_setup(f, has_tolerance, tolerance, start) &&
                fmu_pass(f, FMU_MADE, FMU_STARTING));
}

EXPORT fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference* vr, size_t n,
                                 fmi3Float64* x, size_t nx) {
  fmu* f = core_of(c);
  return STATUS(f && nx == n && fmu_get_all(f, vr, n, x));
}

EXPORT fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference* vr, size_t n,
                                 const fmi3Float64* x, size_t nx) {
  fmu* f = core_of(c);
  return STATUS(f && nx == n && fmu_set_all(f, vr, n, x));
}

// There are no other types than Float64.
#define OTHER3(type)                                                                      \
  EXPORT fmi3Status fmi3Get##type(fmi3Instance c, const fmi3ValueReference* vr, size_t n, \
                                  fmi3##type* x, size_t nx) {                             \
    return STATUS(c && n == 0);                                                           \
  }                                                                                       \
  EXPORT fmi3Status fmi3Set##type(fmi3Instance c, const fmi3ValueReference* vr, size_t n, \
                                  const fmi3##type* x, size_t nx) {                       \
    return STATUS(c && n == 0);                                                           \
  }
OTHER3(Float32)
OTHER3(Int8)
OTHER3(UInt8)
OTHER3(Int16)
OTHER3(UInt16)
OTHER3(Int32)
OTHER3(UInt32)
OTHER3(Int64)
OTHER3(UInt64)
OTHER3(Boolean)
OTHER3(String)

#define REFUSED3(name, ...) \
  EXPORT fmi3Status name(__VA_ARGS__) { return fmi3Error; }
REFUSED3(fmi3GetBinary, fmi3Instance c, const fmi3ValueReference* vr, size_t n, size_t* sizes,
         fmi3Binary* x, size_t nx)
REFUSED3(fmi3SetBinary, fmi3Instance c, const fmi3ValueReference* vr, size_t n, const size_t* sizes,
         const fmi3Binary* x, size_t nx)
REFUSED3(fmi3GetClock, fmi3Instance c, const fmi3ValueReference* vr, size_t n, fmi3Clock* x)
REFUSED3(fmi3SetClock, fmi3Instance c, const fmi3ValueReference* vr, size_t n, const fmi3Clock* x)
REFUSED3(fmi3GetNumberOfVariableDependencies, fmi3Instance c, fmi3ValueReference vr, size_t* n)
REFUSED3(fmi3GetVariableDependencies, fmi3Instance c, fmi3ValueReference vr, size_t* element,
         fmi3ValueReference* independents, size_t* elements, fmi3DependencyKind* kinds, size_t n)
REFUSED3(fmi3GetAdjointDerivative, fmi3Instance c, const fmi3ValueReference* unknown,
         size_t nunknown, const fmi3ValueReference* known, size_t nknown, const fmi3Float64* seed,
         size_t nseed, fmi3Float64* out, size_t nout)
REFUSED3(fmi3EnterConfigurationMode, fmi3Instance c)
REFUSED3(fmi3ExitConfigurationMode, fmi3Instance c)
REFUSED3(fmi3GetIntervalDecimal, fmi3Instance c, const fmi3ValueReference* vr, size_t n,
         fmi3Float64* x, fmi3IntervalQualifier* k)
REFUSED3(fmi3GetIntervalFraction, fmi3Instance c, const fmi3ValueReference* vr, size_t n,
         fmi3UInt64* x, fmi3UInt64* r, fmi3IntervalQualifier* k)
REFUSED3(fmi3GetShiftDecimal, fmi3Instance c, const fmi3ValueReference* vr, size_t n,
         fmi3Float64* x)
REFUSED3(fmi3GetShiftFraction, fmi3Instance c, const fmi3ValueReference* vr, size_t n,
         fmi3UInt64* x, fmi3UInt64* r)
REFUSED3(fmi3SetIntervalDecimal, fmi3Instance c, const fmi3ValueReference* vr, size_t n,
         const fmi3Float64* x)
REFUSED3(fmi3SetIntervalFraction, fmi3Instance c, const fmi3ValueReference* vr, size_t n,
         const fmi3UInt64* x, const fmi3UInt64* r)
REFUSED3(fmi3SetShiftDecimal, fmi3Instance c, const fmi3ValueReference* vr, size_t n,
         const fmi3Float64* x)
REFUSED3(fmi3SetShiftFraction, fmi3Instance c, const fmi3ValueReference* vr, size_t n,
         const fmi3UInt64* x, const fmi3UInt64* r)
REFUSED3(fmi3GetOutputDerivatives, fmi3Instance c, const fmi3ValueReference* vr, size_t n,
         const fmi3Int32* order, fmi3Float64* x, size_t nx)
REFUSED3(fmi3ActivateModelPartition, fmi3Instance c, fmi3ValueReference clock, fmi3Float64 t)

EXPORT fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference* unknown,
                                               size_t nunknown, const fmi3ValueReference* known,
                                               size_t nknown, const fmi3Float64* seed, size_t nseed,
                                               fmi3Float64* out, size_t nout) {
  fmu* f = core_of(c);
  return STATUS(f && unknown && known && seed && out && nseed == nknown && nout == nunknown &&
                fmu_directional(f, unknown, nunknown, known, nknown, seed, out));
}

// ---- model exchange ---------------------------------------------------------------------------

EXPORT fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) { return STATUS(c != NULL); }

EXPORT fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* again, fmi3Boolean* stop,
                                           fmi3Boolean* nominals, fmi3Boolean* values,
                                           fmi3Boolean* next, fmi3Float64* time) {
  fmu* f = core_of(c);
  if (!f || !again || !stop || !nominals || !values || !next || !time) return fmi3Error;
  *again = *nominals = *values = *next = false;
  *stop = fmu_passed_stop(f);
  return STATUS(fmu_time_event(f, values, next, time));
}

static fmi3Status count(fmi3Instance c, size_t number, size_t* n) {
  if (!c || !n) return fmi3Error;
  *n = number;
  return fmi3OK;
}
EXPORT fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t* n) {
  return count(c, FMU_NE + FMU_NG, n);
}
EXPORT fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t* n) {
  return count(c, NX, n);
}

// ---- co-simulation ----------------------------------------------------------------------------

EXPORT fmi3Status fmi3EnterStepMode(fmi3Instance c) { return STATUS(c != NULL); }

EXPORT fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_set,
                             fmi3Boolean* event, fmi3Boolean* terminate, fmi3Boolean* early,
                             fmi3Float64* last) {
  fmu* f = core_of(c);
  if (!f || !event || !terminate || !early || !last) return fmi3Error;
  *event = *terminate = *early = false;
  const bool ok = fmu_do_step(f, t, h);
  *last = f->s.t;
  *terminate = *early = f->stopped;
  return STATUS(ok);
}
