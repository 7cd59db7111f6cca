<?php

declare(strict_types=1);

namespace Postern\Client\Guzzle;

use GuzzleHttp\HandlerStack;
use Postern\Client\Credential;

/**
 * Signs the calls of a Guzzle client, gets tokens and tries again.
 *
 * It belongs at the end of the handler stack, after everything that writes or changes the request:
 *
 *     $stack = HandlerStack::create();
 *     $stack->push(Middleware::for($credential));
 *     $client = new Client(['handler' => $stack]);
 */
final class Middleware
{
    /** @return \Closure(callable): Signer for {@see HandlerStack::push()} */
    public static function for(Credential $credential): \Closure
    {
        return static fn (callable $handler): Signer => new Signer($credential, $handler);
    }

    /** A stack with all that Guzzle has by default, and this middleware at its end. */
    public static function stack(Credential $credential, ?callable $handler = null): HandlerStack
    {
        $stack = HandlerStack::create($handler);
        $stack->push(self::for($credential), 'postern');
        return $stack;
    }

    private function __construct()
    {
    }
}
