try
  load('settings.mat');
catch
  m = 2;
end
body(1).m = m;
