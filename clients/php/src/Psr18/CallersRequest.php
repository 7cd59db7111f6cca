<?php

declare(strict_types=1);

namespace Postern\Client\Psr18;

use Postern\Client\Internal\WithoutArguments;
use Psr\Http\Message\RequestInterface;

/**
 * For exceptions that hold the caller's request, which has no signature in it.
 *
 * @internal
 */
trait CallersRequest
{
    private RequestInterface $request;

    public function getRequest(): RequestInterface
    {
        return $this->request;
    }

    /** @param \Closure(): self $make */
    private static function with(RequestInterface $request, \Closure $make): self
    {
        $exception = WithoutArguments::during($make);
        $exception->request = $request;
        return $exception;
    }
}
