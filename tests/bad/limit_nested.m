% Lists inside an element are short: a huge index is refused at once.
body(1).m = 1;  joint(1).second = 1;
joint(1).tr(1000000).trans = [inf 0 0];
