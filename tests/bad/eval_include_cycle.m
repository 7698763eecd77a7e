include('eval_include_cycle.m');
