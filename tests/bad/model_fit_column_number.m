k = param('k', 50); word = param('word', 'a'); n = param('n', 1); F = input('F', 0);
for i = 1:n, body(i).m = 1; end
joint(1).second = 1; joint(1).type = 'prismatic'; joint(1).axis = [1 0 0]; joint(1).dof(1).spring.coeff = k; joint(1).dof(1).input = F;
sensor(1).name = 'x'; sensor(1).value = dof(joint(1), 1);
fit(1).data = 'a.csv'; fit(1).sensor = {'x', 3};
