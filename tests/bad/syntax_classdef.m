classdef arm
  properties
    m = 2;
  end
end
