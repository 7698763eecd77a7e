syms f(t)
