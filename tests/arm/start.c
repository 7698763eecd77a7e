// Start of a program on a Cortex-M7 with semihosting: vectors, floating point on, then the C
// library.
extern int main(void);
extern void _exit(int code);
extern void initialise_monitor_handles(void);
extern unsigned int __bss_start__, __bss_end__;
void reset(void);

static void fault(void) { _exit(99); }

__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    (void (*)(void))0x20400000,  // end of the stack
    reset,
    fault,
    fault,
    fault,
    fault,
    fault};

void reset(void) {
  *(volatile unsigned int*)0xE000ED88 |= 0xFu << 20;  // coprocessors 10 and 11
  for (unsigned int* p = &__bss_start__; p < &__bss_end__; p++) *p = 0;
  initialise_monitor_handles();
  _exit(main());
}
