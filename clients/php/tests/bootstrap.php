<?php

declare(strict_types=1);

// Composer's autoloader where it was run, otherwise the libraries that Debian puts on the include path.

$composer = __DIR__ . '/../vendor/autoload.php';
if (is_file($composer)) {
    require_once $composer;
} else {
    require_once __DIR__ . '/../autoload.php';
    require_once 'GuzzleHttp/autoload.php';
    require_once 'Psr/Http/Client/autoload.php';
    require_once 'Psr/Http/Message/factory-autoload.php';
    spl_autoload_register(static function (string $class): void {
        $file = __DIR__ . '/' . strtr(str_replace('Postern\\Client\\Tests\\', '', $class), '\\', '/') . '.php';
        if (str_starts_with($class, 'Postern\\Client\\Tests\\') && is_file($file)) {
            require $file;
        }
    });
}
