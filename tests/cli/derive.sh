# tendril derive and tendril export: files, messages and exit codes.
. "$(dirname "$0")/common.bash"
expect 0 derive "$models/pendulum.m" -o out
has out/pendulum.c && has out/pendulum.h && has out/pendulum_check.c
json out/summary.json "d['derive']['nodes'] > 0"
expect 0 derive "$models/pendulum.m" -o out --lang python --style matrix
has out/pendulum.py
expect 0 derive "$models/pendulum.m" -o out --lang latex --symbolic m --json
has out/pendulum.tex
grep -q 'm' out/pendulum.tex || fail 'the mass is no symbol'
json stdout.txt "d['nodes'] > 0"
expect 0 derive "$models/pendulum.m" -o out --lang octave --style element
has out/pendulum_terms.m && has out/pendulum_mass1.m

# par.fun says how, options say it louder, par.derive makes run do it too
cp "$models/pendulum.m" styled.m
echo 'par.fun = 2; par.derive = 1; par.dyn = 0;' >>styled.m
expect 0 derive styled.m -o two
has two/styled_mass1_T.m && absent two/styled.c
expect 0 derive styled.m -o three --lang c --style matrix
has three/styled.c && absent three/styled_terms.m
expect 0 run styled.m -o ran --no-report
has ran/styled_mass1_f.m && has ran/equilibrium.json
echo "par.fun = 4;" >>styled.m
expect 0 derive styled.m -o four
grep -q 'void styled_M(' four/styled.h || fail 'no function for the mass matrix'

expect 1 derive "$models/pendulum.m" --lang fortran
says 'must be c, octave, python or latex'
expect 1 derive "$models/pendulum.m" -o no --symbolic length
says "no param 'length'"
absent no
expect 1 derive "$models/stiffflop.m" -o no --symbolic n
says 'cannot be a symbol'
expect 2 derive "$models/pneumatic_module.m" -o no --set model=gvs
says "the rod module has no closed form here: strains of the model 'gvs' are integrated along it; models 'rom', 'eba', 'ebr' and 'srl' have one"
expect 2 derive "$models/underwater_robot.m" -o no
says "rod(1) has no closed form here: strains of the model 'gvs'"
says "models 'rom', 'eba', 'ebr' and 'srl' have one, but not cable(1), contact(1), fluid of this model"
# what is refused once its rods are of another model, and that nothing else is
sed "s/'gvs'/'srl'/; s/rod(hook).order = -1; rod(hook).points = 5;/rod(hook).n = 1;/; s/rod(filament).order = .*;//
  s/rod(filament).basis = basis;/rod(filament).n = 2;/" "$models/underwater_robot.m" >swimmer.m
expect 2 derive swimmer.m -o no
says 'cable(1), contact(1), fluid have no closed form here; `export c`'
grep -v 'cable(' swimmer.m >loose.m
expect 2 derive loose.m -o no
says 'contact(1), fluid have no closed form here; `export c`'
grep -v 'contact(' loose.m >alone.m
expect 2 derive alone.m -o no
says 'fluid has no closed form here; `export c`'
grep -v 'fluid' alone.m >dry.m
expect 0 derive dry.m -o dry
expect 1 derive "$models/pendulum.m" --jit
says "does not take --jit"

expect 0 sim "$models/pendulum.m" -o jit --no-report --jit=wait
prints 'derived code: '
json jit/summary.json "'for an evaluation' in d['simulation']['derived_code']"
CC=false expect 0 sim "$models/pendulum.m" -o jit --no-report --jit=always
says 'cc could not compile'
expect 0 sim "$models/hybrid_arm.m" -o jit --no-report --t-final 0.01 --jit
says 'no closed form here'
prints 'none came in time'
expect 1 sim "$models/pendulum.m" -o jit --jit=soon
says 'must be swap, wait or always'

expect 0 export c "$models/four_bar.m" -o exported
has exported/four_bar.c && has exported/four_bar_check.c
if command -v cc >/dev/null; then
  (cd exported && cc -O0 -w four_bar.c four_bar_check.c -lm -o check && ./check >check.txt) || fail 'the exported model differs'
fi

# nets, webs, sleeves and long chains, which the engine solves with sparse matrices
cat >chain.m <<'END'
n = 60; l = 0.05/n; body(1).m = 28e-3/n; body(1).I = 1e-7*diag([2 2 1]); world.g = [0 1 -9.81];
joint(1).second = [1 1:n]; joint(1).tr.trans = [inf inf inf]; joint(1).tr.rot = [0 inf inf inf]; joint(1).dof(3).init = (1:n)'*l;
joint(2).first = [1 0:n-1]; joint(2).second = [1 1:n]; joint(2).spring.coeff = [7 7 20 1e-3 1e-3 7e-4]/l;
joint(2).spring.init = [0 0 nan 0 0 0]; joint(2).damp.visc = [.1 .1 .1 1e-5 1e-5 1e-5]; joint(2).damp.pow = 2;
END
for net in "$models/fabric_sleeve.m" "$models/spider_web.m" chain.m; do
  name=$(basename "$net" .m)
  expect 0 derive "$net" -o nets
  if command -v cc >/dev/null; then
    (cd nets && cc -O0 -w "$name.c" "${name}_check.c" -lm -o check && ./check >check.txt) || fail "derived $name differs"
  fi
done
# beyond a thousand velocities there is no table of the mass matrix to compare with
cat >large.m <<'END'
mesh.grid = [19 19]; mesh.size = [1 1]; mesh.fixed = 1:19; mesh.body.m = 1e-3; mesh.joint(2).spring.coeff = 100;
par.derive = 1; par.t_final = 1e-3;
END
expect 0 run large.m -o large --no-report
expect 0 derive large.m -o scripts --lang octave
if command -v cc >/dev/null; then
  (cd large && cc -O0 -w large.c large_check.c -lm -o check && ./check >check.txt) || fail 'the large net differs'
  grep -q 'large M: left out' large/check.txt || fail 'the mass matrix is not said to be left out'
fi
expect 0 export c "$models/fabric_sleeve.m" -o exported
if command -v cc >/dev/null; then
  (cd exported && cc -O0 -w fabric_sleeve.c fabric_sleeve_check.c -lm -o check && ./check >check.txt) || fail 'the exported sleeve differs'
fi
# a controlled point: steps that were too long leave nothing behind in the library's numbers
cat "$models/fabric_sleeve.m" - >pulled.m <<'END'
joint(4).second = 1; joint(4).tr2nd.trans = [0 0 -lcom]; joint(4).fixed = 1; joint(4).control = -1.5;
END
expect 0 export c pulled.m -o exported
if command -v cc >/dev/null; then
  (cd exported && cc -O0 -w pulled.c pulled_check.c -lm -o check && ./check >check.txt) || fail 'the exported sleeve that is pulled differs'
fi
expect 0 sim chain.m -o jit --no-report --t-final 1e-4 --jit=always
prints 'derived code: cc'
cat "$models/pendulum.m" - >touch.m <<<"contact(1).first = body(1); contact(1).second = 'plane'; contact(1).stiffness = 1; contact(1).radius = 0.01;"
expect 2 derive touch.m -o no
says 'contact(1) has no closed form here; `export c`'

CFLAGS=-O0 expect 0 export fmu "$models/pendulum.m" -o exported --fmi 3
has exported/pendulum.fmu

# an export compiles the model and links it with the engine that is part of the library; with another compiler, or where the
# linker does not take that engine, all of the sources are compiled
if command -v cc >/dev/null && command -v unzip >/dev/null; then
  real=$(command -v cc)
  mkdir -p tools
  printf '#!/bin/sh\necho "$@" >>"%s/cc.log"\nexec "%s" "$@"\n' "$PWD" "$real" >tools/cc
  chmod +x tools/cc
  PATH=$PWD/tools:$PATH CC= CFLAGS= expect 0 export fmu "$models/pendulum.m" -o linked
  [ "$(wc -l <cc.log)" = 1 ] && grep -q 'engine\.a' cc.log || fail "an export that compiles more than its model: $(cat cc.log)"
  unzip -q linked/pendulum.fmu -d unit
  [ "$(wc -c <unit/sources/pendulum.c)" -gt 500000 ] || fail 'the sources of the unit are not complete'
  [ -z "$(nm -D --defined-only unit/binaries/linux64/pendulum.so | awk '{print $3}' | grep -v '^fmi2')" ] ||
    fail 'the unit shows functions of the engine, which another library in the same program takes the place of'
  rm cc.log
  printf '#!/bin/sh\necho "$@" >>"%s/cc.log"\ncase "$*" in *engine.a*) exit 1;; esac\nexec "%s" -O0 "$@" -O0\n' "$PWD" "$real" >tools/cc
  PATH=$PWD/tools:$PATH CC= CFLAGS= expect 0 export fmu "$models/pendulum.m" -o again
  [ "$(wc -l <cc.log)" = 2 ] || fail 'the sources are not compiled where the engine cannot be linked'
  unzip -l again/pendulum.fmu | grep -q 'binaries/linux64/pendulum.so' || fail 'no binary'
fi
expect 1 export pdf "$models/pendulum.m"
says 'export c or fmu'
expect 1 export c "$models/pendulum.m" --fmi 2
expect 1 export c
says 'which model?'
finish
