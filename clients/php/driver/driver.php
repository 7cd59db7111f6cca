<?php

declare(strict_types=1);

// The driver of clients/CONTRACT.md: questions a line on standard input, answers a line on standard output.

ini_set('display_errors', 'stderr');
// Guzzle 7.4 on newer releases of PHP.
error_reporting(\E_ALL & ~\E_DEPRECATED);
require __DIR__ . '/../tests/bootstrap.php';
foreach (['Session', 'Messages', 'Driver'] as $class) {
    require __DIR__ . "/$class.php";
}

(new \Postern\Client\Driver\Driver())->run();
