<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * Exceptions whose trace holds no arguments. From PHP 8.2 the attribute SensitiveParameter does this for single
 * parameters.
 *
 * @internal
 */
final class WithoutArguments
{
    /**
     * @template T of \Throwable
     * @param callable(): T $make
     * @return T
     */
    public static function make(callable $make): \Throwable
    {
        // A trace is taken when the object is created.
        $before = ini_set('zend.exception_ignore_args', '1');
        try {
            return $make();
        } finally {
            if ($before !== false) {
                ini_set('zend.exception_ignore_args', $before);
            }
        }
    }
}
