# Runs tiers one after the other and adds up how they closed. Sourced by .ci/run; tested by test/unit/tooling/tiers.test.ts.

total_passed=0
total_failed=0
total_skipped=0
broken=()
told=()
again=()

closing_line='^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$'

# run_tier NAME SECONDS COMMAND...: runs it without input, shows what it prints, keeps that in $tier_output and how it
# ended in $tier_code. Its closing line is shown with its name, so that the last line of all stays the only one. It writes
# to a file, not to a pipe: a process it leaves behind would hold a pipe open. Such a process is ended with its group.
run_tier() {
  local name=$1 seconds=$2
  shift 2
  printf '\n==== %s: %s\n' "$name" "$*"
  : >"$tier_output"
  timeout --kill-after=30 "$seconds" "$@" </dev/null >"$tier_output" 2>&1 &
  tier_group=$!
  tail --pid="$tier_group" --sleep-interval=0.2 --lines=+1 --follow "$tier_output" | sed -u -E "s/$closing_line/---- $name closes with &/"
  wait "$tier_group"
  tier_code=$?
  end_tier
  if [ "$tier_code" -eq 124 ] || [ "$tier_code" -eq 137 ]; then
    printf '%s: ended after %s s\n' "$name" "$seconds"
  fi
}

# Ends what is left of the tier that runs or ran last: `timeout` made a process group for it.
end_tier() {
  [ -z "${tier_group:-}" ] || kill -- "-$tier_group" 2>/dev/null
  tier_group=
}

# aside FILE COMMAND...: starts it beside the tiers that follow, in a group of its own; `tests NAME SECONDS bash -c show_aside`
# waits for it and counts it as a tier.
aside() {
  aside_file=$1
  shift
  setsid "$@" </dev/null >"$aside_file" 2>&1 &
  aside_pid=$!
  export aside_file aside_pid
}

show_aside() { tail --pid="$aside_pid" --sleep-interval=1 --lines=+1 --follow "$aside_file"; }
export -f show_aside

# Ends what still runs aside.
end_aside() { [ -z "${aside_pid:-}" ] || kill -- "-$aside_pid" 2>/dev/null; }

# tell NAME COMMAND...: keeps what COMMAND finds in the tier's output for the end, where a long record is still read.
tell() {
  local name=$1
  shift
  told+=("---- $name"$'\n'"$("$@" "$tier_output" | sed -E "s/$closing_line/closes with &/")")
}

# Vitest's own account of what failed: what stands between its headings `Failed Suites` or `Failed Tests` and the totals.
failed_tests() { sed -n '/Failed \(Suites\|Tests\)/,/Test Files /p' "$1" | head -n 80; }

fail_tier() {
  total_failed=$((total_failed + 1))
  broken+=("$1")
  printf '%s: %s\n' "$1" "$2"
  tell "$1: $2" tail -n 25
}

# step NAME SECONDS COMMAND...: judged by its exit code alone; counts only where it fails, as one failure.
step() {
  run_tier "$@"
  [ "$tier_code" -eq 0 ] || fail_tier "$1" "exit code $tier_code"
}

# tests NAME SECONDS COMMAND...: adds the totals of its closing line. None (it could not run, it was ended), or a bad end
# with nothing failed, is one failure.
tests() {
  run_tier "$@"
  local line
  while read -r line; do again+=("$line"); done < <(grep '^needed a second attempt: ' "$tier_output")
  if ! [[ $(grep -E "$closing_line" "$tier_output" | tail -n 1) =~ ([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+) ]]; then
    fail_tier "$1" "no totals, exit code $tier_code"
    return
  fi
  total_passed=$((total_passed + BASH_REMATCH[1]))
  total_failed=$((total_failed + BASH_REMATCH[2]))
  total_skipped=$((total_skipped + BASH_REMATCH[3]))
  if [ "${BASH_REMATCH[2]}" -gt 0 ]; then
    broken+=("$1")
    tell "$1" failed_tests
  elif [ "$tier_code" -ne 0 ]; then
    fail_tier "$1" "exit code $tier_code with nothing failed"
  fi
}

# Prints what needed a second attempt, what failed and the closing line of all tiers; fails where anything failed.
close_tiers() {
  [ "${#again[@]}" -eq 0 ] || printf '%s\n' '' "${again[@]}"
  [ "${#broken[@]}" -eq 0 ] || printf '%s\n' '' "${told[@]}" '' "failed: ${broken[*]}"
  printf '\n%s passed, %s failed, %s skipped\n' "$total_passed" "$total_failed" "$total_skipped"
  [ "$total_failed" -eq 0 ]
}
