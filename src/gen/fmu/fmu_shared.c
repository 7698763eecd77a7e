// Functions that have the same shape in both versions of the standard.  The text before this one
// defines FMI(name), fmi_status, fmi_boolean, fmi_string and fmi_byte.

EXPORT fmi_status FMI(SetDebugLogging)(void* c, fmi_boolean on, size_t n, const fmi_string* names) {
  (void)on, (void)n, (void)names;
  return STATUS(c != NULL);
}

EXPORT void FMI(FreeInstance)(void* c) {
  if (!c) return;
  fmu_free(core_of(c));
  free(c);
}

EXPORT fmi_status FMI(ExitInitializationMode)(void* c) {
  fmu* f = core_of(c);
  return STATUS(f && fmu_pass(f, FMU_STARTING, FMU_RUNNING));
}

EXPORT fmi_status FMI(Terminate)(void* c) {
  fmu* f = core_of(c);
  if (f) f->mode = FMU_OVER;
  return STATUS(f != NULL);
}

EXPORT fmi_status FMI(Reset)(void* c) {
  fmu* f = core_of(c);
  if (f) fmu_reset(f);
  return STATUS(f != NULL);
}

// ---- saved states -----------------------------------------------------------------------------

EXPORT fmi_status FMI_SAVE(void* c, void** s) {
  fmu* f = core_of(c);
  return STATUS(f && fmu_save(f, s));
}
EXPORT fmi_status FMI_LOAD(void* c, void* s) {
  fmu* f = core_of(c);
  return STATUS(f && fmu_load(f, s));
}
EXPORT fmi_status FMI_DROP(void* c, void** s) { return STATUS(c && fmu_drop(s)); }
EXPORT fmi_status FMI_SIZE(void* c, void* s, size_t* n) {
  if (n) *n = sizeof(fmu_saved);
  return STATUS(c && s && n);
}
EXPORT fmi_status FMI_BYTES(void* c, void* s, fmi_byte* to, size_t n) {
  return STATUS(c && fmu_bytes(s, to, n));
}
EXPORT fmi_status FMI_FROM_BYTES(void* c, const fmi_byte* from, size_t n, void** s) {
  return STATUS(c && fmu_from_bytes(from, n, s));
}

// ---- model exchange ---------------------------------------------------------------------------

EXPORT fmi_status FMI(EnterEventMode)(void* c) { return STATUS(c != NULL); }
EXPORT fmi_status FMI(EnterContinuousTimeMode)(void* c) { return STATUS(c != NULL); }

EXPORT fmi_status FMI(CompletedIntegratorStep)(void* c, fmi_boolean no_set, fmi_boolean* event,
                                               fmi_boolean* terminate) {
  (void)no_set;
  if (!c || !event || !terminate) return STATUS(false);
  *event = *terminate = 0;
  return STATUS(true);
}

EXPORT fmi_status FMI(SetTime)(void* c, double t) {
  fmu* f = core_of(c);
  if (!f || !isfinite(t)) return STATUS(false);
  f->s.t = t;
  fmu_stale(f);
  return STATUS(true);
}

EXPORT fmi_status FMI(SetContinuousStates)(void* c, const double* x, size_t n) {
  fmu* f = core_of(c);
  if (!f || n != NX || !x) return STATUS(false);
  memcpy(f->x, x, NX * sizeof *x);
  fmu_stale(f);
  return STATUS(true);
}

EXPORT fmi_status FMI(GetContinuousStates)(void* c, double* x, size_t n) {
  fmu* f = core_of(c);
  if (!f || n != NX || !x) return STATUS(false);
  memcpy(x, f->x, NX * sizeof *x);
  return STATUS(true);
}

EXPORT fmi_status FMI_DERIVATIVES(void* c, double* dx, size_t n) {
  fmu* f = core_of(c);
  if (!f || n != NX || !dx || !fmu_derivatives(f)) return STATUS(false);
  memcpy(dx, f->dx, NX * sizeof *dx);
  return STATUS(true);
}

EXPORT fmi_status FMI(GetEventIndicators)(void* c, double* g, size_t n) {
  fmu* f = core_of(c);
  if (!f || n != FMU_NE + FMU_NG || (n > 0 && !g)) return STATUS(false);
  fmu_events(f, g);
  fmu_gaps(f, g + FMU_NE);
  return STATUS(true);
}

EXPORT fmi_status FMI(GetNominalsOfContinuousStates)(void* c, double* x, size_t n) {
  if (!c || n != NX || !x) return STATUS(false);
  for (size_t i = 0; i < n; i++) x[i] = 1;
  return STATUS(true);
}
