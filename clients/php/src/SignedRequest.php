<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\HeaderList;
use Postern\Client\Internal\Opaque;
use Postern\Client\Internal\Secret;
use Postern\Client\Internal\Target;

/** A request as it is to be sent. Send it once, within minutes, and exactly so. Dumps do not show what it holds. */
final class SignedRequest
{
    use Opaque;

    private readonly Secret $content;

    /**
     * @internal made by {@see Credential::sign()}
     * @param list<array{string, string}> $set the headers that the client sets
     */
    public function __construct(
        Request $request,
        Target $target,
        #[\SensitiveParameter] array $set,
        ?string $body = null,
        ?string $stringToSign = null,
    ) {
        $this->content = new Secret([
            'request' => $request,
            'target' => $target,
            'set' => $set,
            'body' => $body,
            'stringToSign' => $stringToSign,
        ]);
    }

    public function method(): string
    {
        return $this->content->reveal()['request']->method;
    }

    /** The URL without a fragment. */
    public function url(): string
    {
        return $this->content->reveal()['target']->url();
    }

    /** Path and query, byte for byte. */
    public function target(): string
    {
        return $this->content->reveal()['target']->text();
    }

    /** @return list<array{string, string}> all headers */
    public function headers(): array
    {
        ['request' => $request, 'set' => $set, 'body' => $body] = $this->content->reveal();
        $headers = new HeaderList($request->headers);
        if ($body !== null && $headers->values('content-length') !== []) {
            $headers = $headers->with([['Content-Length', (string) strlen($body)]]);
        }
        return $headers->with($set)->headers;
    }

    /** @return list<array{string, string}> those headers that the client has set or replaced */
    public function setHeaders(): array
    {
        return $this->content->reveal()['set'];
    }

    public function body(): string
    {
        ['request' => $request, 'body' => $body] = $this->content->reveal();
        return $body ?? $request->body;
    }

    /**
     * What was signed, to compare with what the gateway shows; for a parameter signature without the App Secret at its
     * end, null where nothing is signed.
     */
    public function stringToSign(): ?string
    {
        return $this->content->reveal()['stringToSign'];
    }

    /** @return array<string, string> */
    public function __debugInfo(): array
    {
        return ['content' => Secret::SHOWN];
    }
}
