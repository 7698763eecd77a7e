% several studies in a loop
studies = {'light', 0.5, 10; 'heavy', 2, 10; 'stiff', 2, 40};
for is = 1:size(studies,1)
    clear body joint world
    [nm, mm, kk] = studies{is,:};
    world.g = [0 0 9.81];
    body(1).m = mm; body(1).I = mm*0.01; body(1).name = nm;
    joint(1).first = [0;0]; joint(1).second = [1;1];
    joint(1).tr(1).trans = [0 0 inf];
    joint(1).dof(1).spring = struct('coeff', kk, 'init', 0);
    joint(1).dof(1).damp = struct('visc', 0.1, 'pow', 1);
    par.equil = 1; par.dyn = 0; par.out{is} = nm;
    par.result(is) = struct('name', nm, 'x', 0);
    par.tab.(nm) = [mm kk];
    save_eom_mex(par);
    res(is) = equil(par);
    par.result(is).x = res(is).q(1);
end
T = cell2mat(cellfun(@(c) c(:)', struct2cell(par.tab), 'UniformOutput', false));
assert(size(T,1)==3);
bar([res.q]); legend(par.out)
for is=1:3, fprintf('%-8s %8.4f\n', par.result(is).name, par.result(is).x); end
