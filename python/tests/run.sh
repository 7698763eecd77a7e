# Run the tests of the Python package with a Python that has NumPy: run.sh LIBRARY SOURCE.  77: there is none.
export TENDRIL_LIBRARY=$1 PYTHONPATH=$2/python PYTHONDONTWRITEBYTECODE=1
for python in python3 /usr/bin/python3; do
  "$python" -c 'import numpy' 2>/dev/null || continue
  exec "$python" -m unittest discover -s "$2/python/tests"
done
echo 'no Python with NumPy (Debian: python3-numpy)'
exit 77
