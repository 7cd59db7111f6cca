<?php

declare(strict_types=1);

namespace Postern\Client\Psr18;

use Postern\Client\Credential;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\RequestExceptionInterface;
use Psr\Http\Message\RequestInterface;

/**
 * The client within could not send the request, or not read its answer.
 * The message is that of the client within, without secrets.
 */
final class RequestFailed extends \RuntimeException implements RequestExceptionInterface
{
    use CallersRequest;

    /** @internal The exception of the client within holds the signed request, so it is no previous one of this. */
    public static function for(
        RequestInterface $request,
        ClientExceptionInterface $failure,
        Credential $credential,
    ): self {
        $message = $credential->redact($failure->getMessage());
        return self::with($request, static fn () => new self($message, $failure->getCode()));
    }
}
