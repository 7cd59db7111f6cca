<?php

declare(strict_types=1);

namespace Postern\Client\Psr18;

use Postern\Client\TokenRefused;
use Psr\Http\Client\RequestExceptionInterface;
use Psr\Http\Message\RequestInterface;

/** A missing token as PSR-18 wants it, with the request that was not sent. */
final class NoToken extends TokenRefused implements RequestExceptionInterface
{
    use CallersRequest;

    /** @internal */
    public static function for(RequestInterface $request, TokenRefused $refused): self
    {
        $make = static fn () => new self($refused->status, $refused->error);
        return self::with($request, $make);
    }
}
