<?php

declare(strict_types=1);

// Packs an archive again with sorted names, one time and one mode: the same files give the same bytes. Composer takes
// the times of the files. Called by build.sh with the archive and the time in seconds.
[, $name, $time] = $argv;

$given = new ZipArchive();
$given->open($name) === true || exit("$name cannot be read\n");
$files = [];
for ($index = 0; $index < $given->numFiles; $index++) {
    $file = $given->getNameIndex($index);
    if (!str_ends_with($file, '/')) {
        $files[$file] = $given->getFromIndex($index);
    }
}
$given->close();
ksort($files, SORT_STRING);

$packed = new ZipArchive();
$packed->open("$name.new", ZipArchive::CREATE | ZipArchive::OVERWRITE) === true || exit("$name.new cannot be made\n");
foreach ($files as $file => $content) {
    $packed->addFromString($file, $content);
    $packed->setMtimeName($file, (int) $time);
    $packed->setExternalAttributesName($file, ZipArchive::OPSYS_UNIX, 0100644 << 16);
}
$packed->close() || exit("$name.new cannot be written\n");
rename("$name.new", $name);
