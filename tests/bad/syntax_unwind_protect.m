unwind_protect
  x = 1;
unwind_protect_cleanup
  x = 2;
end_unwind_protect
