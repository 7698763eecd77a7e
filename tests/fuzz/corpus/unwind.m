unwind_protect
x
unwind_protect_cleanup
y
end_unwind_protect
parfor i=1:2
end
