d = table('eval_table_short.csv');
