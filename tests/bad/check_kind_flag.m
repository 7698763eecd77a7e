par.anim = 'on';
