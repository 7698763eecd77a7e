for i = 1 : 6 { % over rings
  body(i).m = 1;
}
