x = undefined_thing + 1;
