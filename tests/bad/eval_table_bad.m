d = table('eval_table_bad.csv');
