if x
  continue;
end
