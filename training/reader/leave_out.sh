#!/usr/bin/env bash
# Trains one reader for each group of sources without that group, and reads the group with it: what is unseen to it.
#   training/reader/leave_out.sh OUT "a w1" "b w2" … -- [options of training.reader.train]
# Writes OUT/<group>/{scores.json,read.jsonl}. All groups run at once: on a GPU.
set -euo pipefail
out=$1
shift
groups=()
while (($#)) && [[ $1 != -- ]]; do groups+=("$1"); shift; done
(($#)) && shift
mkdir -p "$out"
jobs=()
for group in "${groups[@]}"; do
  # shellcheck disable=SC2086
  python3 -m training.reader.train --out "$out/${group// /_}" --leave-out $group "$@" >"$out/${group// /_}.log" 2>&1 &
  jobs+=($!)
done
for job in "${jobs[@]}"; do wait "$job" || true; done
for group in "${groups[@]}"; do tail -n 1 "$out/${group// /_}.log"; done
