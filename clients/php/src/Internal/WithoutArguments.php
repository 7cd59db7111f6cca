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
     * Exceptions that are made during this call hold no arguments of any function.
     *
     * @template T
     * @param \Closure(): T $call
     * @return T
     */
    public static function during(\Closure $call): mixed
    {
        // A trace is taken when the object is created.
        $before = ini_set('zend.exception_ignore_args', '1');
        try {
            return $call();
        } finally {
            if ($before !== false) {
                ini_set('zend.exception_ignore_args', $before);
            }
        }
    }
}
