# par.mov: a video of the motion, with as many pictures as its time asks for.
. "$(dirname "$0")/common.bash"
for need in chromium ffmpeg; do
  command -v $need >/dev/null || { echo "skipped: no $need"; exit 77; }
done
cat >hinge.m <<'END'
body(1).m = 1; body(1).I = 0.5*eye(3); body(1).l_com = [0 0 -0.2]; joint(1).second = 1; joint(1).tr.rot = [2 inf];
joint(1).dof(1).init = 0.5; joint(1).dof(1).spring.coeff = 2;
par.t_final = 0.1; par.dt_out = 0.05; par.mov = 1; par.modal = 0; par.equil = 0;
END
expect 0 run hinge.m -o out
has out/video.mp4
if command -v ffprobe >/dev/null; then
  seconds=$(ffprobe -v error -show_entries format=duration -of csv=p=0 out/video.mp4)
  python3 -c "import sys; sys.exit(not 0.02 < float('$seconds') < 1)" || fail "the video of 0.1 s lasts $seconds s"
  ffprobe -v error -select_streams v -show_entries stream=codec_name,width -of csv=p=0 out/video.mp4 | grep -q h264 || fail 'no video inside'
fi
finish
