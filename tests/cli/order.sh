# The files inside the folders of src have an order, but for the knots that are allowed by name: order.sh PROGRAM SOURCES
for program in nm python3; do
  command -v $program >/dev/null || { echo "$program is missing"; exit 77; }
done
exec "$2"/tools/order "$(dirname "$1")" --check
