#!/usr/bin/env bash
# One visit to a GPU: some teachers, a reader for each group of sources without that group, and the reader that ships.
#   training/reader/whole.sh OUT SEEDS STEPS SECONDS "a w1" "b w2" …    SECONDS: at most that long for each training
set -euo pipefail
out=$1 seeds=$2 steps=$3 seconds=$4
shift 4
mkdir -p "$out"
teachers=()
jobs=()
for seed in $(seq "$seeds"); do
  python3 -m training.reader.train --out "$out/$seed" --seed "$seed" --steps "$steps" --passes 6 --seconds "$seconds" --workers 3 >"$out/$seed.log" 2>&1 &
  jobs+=($!)
  teachers+=("$out/$seed/weights.npz")
done
"$(dirname "$0")/leave_out.sh" "$out/apart" "$@" -- --steps "$((steps * 3 / 5))" --passes 5 --seconds "$seconds" --workers 2 >"$out/apart.log" 2>&1 &
apart=$!
for job in "${jobs[@]}"; do wait "$job"; done
tail -q -n 1 "$out"/[0-9]*.log
python3 -m training.reader.train --out "$out/one" --seed 99 --steps 9000 --passes 8 --seconds "$seconds" --workers 12 --teachers "${teachers[@]}" >"$out/one.log" 2>&1
tail -n 1 "$out/one.log"
wait "$apart"
cat "$out/apart.log"
