<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

use Postern\Client\Credential;
use Postern\Client\Problem;
use Postern\Client\ProblemCode;
use Postern\Client\Request;
use Postern\Client\SignedRequest;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\StreamInterface;

/**
 * From PSR-7 requests to those of the core, and back.
 *
 * @internal
 */
final class Psr7
{
    /**
     * The bytes of the body that are signed, the whole of a body that can be rewound; null when the method does not
     * look at it.
     *
     * @throws Problem before anything is read when the target cannot be signed, and for a body that is too large
     */
    public static function bodyOf(RequestInterface $request, Credential $credential): ?string
    {
        Target::of((string) $request->getUri());
        $limit = $credential->bodyLimit(self::headersOf($request));
        return $limit === null ? null : self::read($request->getBody(), $limit);
    }

    public static function toRequest(RequestInterface $request, ?string $body): Request
    {
        $uri = (string) $request->getUri()->withFragment('');
        return new Request($request->getMethod(), $uri, self::headersOf($request), $body ?? '');
    }

    /**
     * Writes the signature into the request.
     *
     * @param callable(string): StreamInterface $toStream
     * @param bool $hasBody whether the body was read and is replaced
     * @throws Problem TARGET_NOT_SIGNABLE when the library would send another target than the signed one
     */
    public static function apply(
        SignedRequest $signed,
        RequestInterface $request,
        callable $toStream,
        bool $hasBody,
    ): RequestInterface {
        $target = Target::of($signed->url());
        $uri = $request->getUri()->withFragment('')->withQuery($target->query ?? '');
        $request = $request->withUri($uri, true);
        foreach ($signed->setHeaders() as [$name, $value]) {
            $request = $request->withHeader($name, $value);
        }
        if ($hasBody) {
            $request = self::withBody($request, $signed->body(), $toStream);
        }
        self::requireTarget($request, $target);
        return $request;
    }

    /** @return list<array{string, string}> */
    private static function headersOf(RequestInterface $request): array
    {
        $headers = [];
        foreach ($request->getHeaders() as $name => $values) {
            foreach ($values as $value) {
                $headers[] = [(string) $name, (string) $value];
            }
        }
        return $headers;
    }

    private static function read(StreamInterface $body, int $limit): string
    {
        if (($body->getSize() ?? 0) > $limit) {
            throw self::tooLarge($limit);
        }
        if ($body->isSeekable()) {
            $body->rewind();
        }
        $text = '';
        while (!$body->eof()) {
            $text .= $body->read(65_536);
            if (strlen($text) > $limit) {
                throw self::tooLarge($limit);
            }
        }
        return $text;
    }

    /** @param callable(string): StreamInterface $toStream */
    private static function withBody(RequestInterface $request, string $body, callable $toStream): RequestInterface
    {
        $request = $request->withBody($toStream($body))->withoutHeader('Transfer-Encoding');
        return $body === '' && !$request->hasHeader('Content-Length')
            ? $request
            : $request->withHeader('Content-Length', (string) strlen($body));
    }

    private static function requireTarget(RequestInterface $request, Target $signed): void
    {
        // Some libraries send the target of the request, others that of its URI.
        $texts = [Target::of((string) $request->getUri())->text(), $request->getRequestTarget()];
        if ($texts !== [$signed->text(), $signed->text()]) {
            throw Problem::of(
                ProblemCode::TargetNotSignable,
                'The target of the request is not the one that was signed.',
            );
        }
    }

    private static function tooLarge(int $limit): Problem
    {
        return Problem::of(ProblemCode::BodyTooLarge, "The body has more than $limit bytes.");
    }
}
