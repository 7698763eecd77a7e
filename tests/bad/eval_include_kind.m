include(3);
