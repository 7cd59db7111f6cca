<?php

declare(strict_types=1);

namespace Postern\Client\Psr18;

use Postern\Client\Internal\WithoutArguments;
use Postern\Client\Problem;
use Psr\Http\Client\RequestExceptionInterface;
use Psr\Http\Message\RequestInterface;

/** A problem as PSR-18 wants it, with the request that was not sent. */
final class UnsignableRequest extends Problem implements RequestExceptionInterface
{
    private RequestInterface $request;

    /** @internal */
    public static function for(RequestInterface $request, Problem $problem): self
    {
        return WithoutArguments::make(static function () use ($request, $problem): self {
            $exception = new self($problem->problemCode, $problem->getMessage());
            $exception->request = $request;
            return $exception;
        });
    }

    public function getRequest(): RequestInterface
    {
        return $this->request;
    }
}
