<?php

declare(strict_types=1);

namespace Postern\Client\Psr18;

use Postern\Client\Problem;
use Psr\Http\Client\RequestExceptionInterface;
use Psr\Http\Message\RequestInterface;

/** A problem as PSR-18 wants it, with the request that was not sent. */
final class UnsignableRequest extends Problem implements RequestExceptionInterface
{
    use CallersRequest;

    /** @internal */
    public static function for(RequestInterface $request, Problem $problem): self
    {
        $cause = $problem->getPrevious();
        return self::with($request, static fn () => new self($problem->problemCode, $problem->getMessage(), $cause));
    }
}
