#!/bin/sh
# Makes the archive that Composer installs, below dist/. Called by ../run.
set -eu
cd -- "$(dirname -- "$0")/.."
version=$("$PHP" -r 'echo json_decode(file_get_contents("composer.json"), true)["version"];')
rm -rf dist
mkdir dist
"$COMPOSER_COMMAND" --quiet archive --format=zip --dir=dist --file="postern-client-$version"
# Archives have local times.
TZ=UTC "$PHP" scripts/same-bytes.php "dist/postern-client-$version.zip" "$SOURCE_DATE_EPOCH"
