try
x
catch e
y
end_try_catch
do
x
until y
global z
