<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use Postern\Client\Credential;
use Postern\Client\Guzzle\Middleware;
use Postern\Client\Problem;
use Postern\Client\Request;
use Postern\Client\TokenCredential;

/** Every way to print a credential and what is made of it. */
final class Printer
{
    public static function all(Credential $credential): string
    {
        $objects = ['credential' => $credential];
        $objects['middleware'] = Middleware::for($credential);
        $objects['stack'] = Middleware::stack($credential);
        $objects['handler'] = (Middleware::for($credential))(static fn () => null);
        if ($credential instanceof TokenCredential) {
            $objects['token request'] = $credential->tokenRequest();
        } else {
            $objects['signed request'] = $credential->sign(new Request('GET', 'https://api.example.com/orders'));
        }
        try {
            $credential->sign(new Request('GET', '/relative'));
        } catch (Problem | \LogicException $exception) {
            $objects['exception'] = $exception;
        }
        return implode("\n", array_map(self::one(...), $objects, array_keys($objects)));
    }

    /** By every function of PHP that prints objects. */
    public static function one(object $object, string $name): string
    {
        ob_start();
        var_dump($object);
        // var_export cannot print what refers to itself, as an exception does.
        $exported = $object instanceof \Throwable ? '' : self::attempt(static fn () => var_export($object, true));
        $cast = print_r((array) $object, true);
        return implode("\n", [
            $name,
            (string) ob_get_clean(),
            print_r($object, true),
            $exported,
            $cast,
            self::attempt(static fn () => json_encode($object, \JSON_THROW_ON_ERROR | \JSON_PARTIAL_OUTPUT_ON_ERROR)),
            self::attempt(static fn () => serialize($object)),
            self::attempt(static fn () => (string) $object),
        ]);
    }

    private static function attempt(callable $print): string
    {
        try {
            return (string) $print();
        } catch (\Throwable $error) {
            return $error::class . ': ' . $error->getMessage() . "\n" . $error->getTraceAsString();
        }
    }
}
