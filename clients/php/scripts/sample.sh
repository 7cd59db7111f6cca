#!/bin/sh
# Makes an empty folder a project of a user, with the built archive and the first example of the README, or that of
# a private key, and runs it. Called by ../run.
set -eu
php_client=$(cd -- "$(dirname -- "$0")/.." && pwd -P)
"$php_client/run" build >&2
cd -- "$1"
[ -z "$(ls -A)" ] || { echo "$1 is not empty" >&2; exit 2; }
heading='# Postern client for PHP'
[ "${2:-}" != private-key ] || heading='## With a private key'
awk -v heading="$heading" '$0 == heading { here = 1 } here && /^```php$/ { on = 1; next } /^```$/ && on { exit } on' \
  "$php_client/README.md" >first-call.php

if command -v "$COMPOSER_COMMAND" >/dev/null; then
  cat >composer.json <<JSON
{
  "repositories": [{ "type": "artifact", "url": "$php_client/dist" }, { "packagist": false }],
  "require": { "postern-gateway/client": "*" }
}
JSON
  "$COMPOSER_COMMAND" --no-interaction --quiet install
else
  # As the README says it for projects without Composer.
  "$PHP" -r '$zip = new ZipArchive(); $zip->open($argv[1]) && $zip->extractTo("vendor/postern-client") || exit(1);' \
    "$php_client"/dist/*.zip
  echo "<?php require __DIR__ . '/postern-client/autoload.php';" >vendor/autoload.php
fi
exec "$PHP" first-call.php
