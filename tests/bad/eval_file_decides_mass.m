if exist('mass.mat', 'file')
  body(1).m = 2;
end
