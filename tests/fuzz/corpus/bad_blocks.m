if a
for i = 1:3
else
endif
end end
