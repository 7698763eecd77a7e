s = ['abc'; 'de'];
