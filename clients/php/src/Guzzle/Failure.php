<?php

declare(strict_types=1);

namespace Postern\Client\Guzzle;

use GuzzleHttp\Exception\ConnectException;
use GuzzleHttp\Exception\RequestException;
use GuzzleHttp\Psr7\Request;
use Postern\Client\Credential;
use Postern\Client\Internal\WithoutArguments;
use Postern\Client\SignedRequest;
use Psr\Http\Message\RequestInterface;

/**
 * Guzzle's exceptions hold the request that was sent, and some messages its URL. Those that leave the client hold the
 * caller's request in its place.
 *
 * @internal
 */
final class Failure
{
    /** Errors of curl that say that the connection was lost before a whole answer came. */
    private const LOST = [16 => true, 18 => true, 52 => true, 55 => true, 56 => true, 92 => true];

    /** Whether the connection failed, so that no answer came. */
    public static function isWithoutAnswer(mixed $reason): bool
    {
        if ($reason instanceof ConnectException) {
            return true;
        }
        return $reason instanceof RequestException && $reason->getResponse() === null
            && isset(self::LOST[$reason->getHandlerContext()['errno'] ?? 0]);
    }

    /** The failure with the caller's request. */
    public static function of(mixed $reason, RequestInterface $request, Credential $credential): mixed
    {
        if ($reason instanceof ConnectException) {
            $message = $credential->redact($reason->getMessage());
            $context = self::context($reason->getHandlerContext(), $credential);
            return WithoutArguments::during(static fn () => new ConnectException($message, $request, null, $context));
        }
        if ($reason instanceof RequestException) {
            $message = $credential->redact($reason->getMessage());
            $context = self::context($reason->getHandlerContext(), $credential);
            $response = $reason->getResponse();
            return WithoutArguments::during(
                static fn () => new ($reason::class)($message, $request, $response, $reason->getPrevious(), $context),
            );
        }
        return $reason;
    }

    /** The failure of a question for a token, with a request that holds no credentials. */
    public static function ofTokenRequest(mixed $reason, SignedRequest $signed, Credential $credential): mixed
    {
        return self::of($reason, new Request($signed->method(), $signed->url()), $credential);
    }

    /**
     * @param array<mixed> $context
     * @return array<mixed>
     */
    private static function context(array $context, Credential $credential): array
    {
        return array_map(
            static fn (mixed $value) => is_string($value) ? $credential->redact($value) : $value,
            $context,
        );
    }
}
