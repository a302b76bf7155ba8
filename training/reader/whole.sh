#!/usr/bin/env bash
# One visit to a GPU: five teachers, a reader for each group of sources without that group, and the reader that ships.
#   training/reader/whole.sh OUT    (within ten minutes on one large GPU and 16 cores)
set -euo pipefail
out=$1
mkdir -p "$out"
teachers=()
jobs=()
for seed in 1 2 3 4 5; do
  python3 -m training.reader.train --out "$out/$seed" --seed "$seed" --steps 6000 --passes 8 --seconds 250 --workers 2 >"$out/$seed.log" 2>&1 &
  jobs+=($!)
  teachers+=("$out/$seed/weights.npz")
done
"$(dirname "$0")/leave_out.sh" "$out/apart" "a w1" "b w2" "c w3" "d w4" "e w5" "f w6" "g w7" "h v" "i w8" "j w9" "k w10" "l m" "n o" "p q" \
  -- --steps 3000 --passes 5 --seconds 250 --workers 1 >"$out/apart.log" 2>&1 &
apart=$!
for job in "${jobs[@]}"; do wait "$job"; done
tail -q -n 1 "$out"/?.log
python3 -m training.reader.train --out "$out/one" --seed 99 --steps 6000 --passes 10 --seconds 190 --workers 10 --teachers "${teachers[@]}" >"$out/one.log" 2>&1
tail -n 1 "$out/one.log"
wait "$apart"
cat "$out/apart.log"
