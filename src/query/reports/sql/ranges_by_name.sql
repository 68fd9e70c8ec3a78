FROM ranges_of($sums)
