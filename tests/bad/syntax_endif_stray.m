x = 2;
endif
