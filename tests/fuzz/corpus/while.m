while (x < 3)
  if x, break, end
  continue
endwhile
