disp('it's here');
