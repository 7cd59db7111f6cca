#!/bin/sh
# Runs the tests; the last line says how many passed. Called by ../run.
set -eu
cd -- "$(dirname -- "$0")/.."
report=$(mktemp)
trap 'rm -f "$report"' EXIT
[ ! -f vendor/bin/phpunit ] || PHPUNIT=vendor/bin/phpunit
code=0
"$PHPUNIT" --log-junit "$report" || code=$?
[ -s "$report" ] || { echo 'the tests did not come to their end'; exit 1; }
"$PHP" -r '
    $all = simplexml_load_file($argv[1])->testsuite;
    $bad = (int) $all["failures"] + (int) $all["errors"] + (int) $all["skipped"];
    printf("%d of %d tests passed\n", $all["tests"] - $bad, $all["tests"]);
' "$report"
exit "$code"
