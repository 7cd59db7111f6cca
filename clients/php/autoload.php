<?php

declare(strict_types=1);

// For projects without Composer: require this file, and the classes of the client load by themselves.

spl_autoload_register(static function (string $class): void {
    $prefix = 'Postern\\Client\\';
    if (!str_starts_with($class, $prefix)) {
        return;
    }
    $file = __DIR__ . '/src/' . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
    if (is_file($file)) {
        require $file;
    }
});
