<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

use Postern\Client\Problem;
use Postern\Client\ProblemCode;
use Postern\Client\Request;

/**
 * The parts of a request that a message signature covers (RFC 9421 §2), without parameters.
 *
 * @internal
 */
final class Components
{
    private const ALWAYS = ['@method', '@authority', '@path', '@query'];
    private const OF_BODY = ['content-digest', 'content-length'];

    /** @var list<array{string, string}> the headers that are set before anything is signed */
    public readonly array $set;

    private readonly string $digest;

    /** @param Target $target with a plain authority */
    public function __construct(public readonly Request $request, public readonly Target $target)
    {
        $this->digest = 'sha-256=:' . base64_encode(hash('sha256', $request->body, true)) . ':';
        $this->set = $request->body === '' ? [] : [['Content-Digest', $this->digest]];
    }

    /**
     * What a client covers by itself, in order and each once.
     *
     * @param list<string> $also in lower case
     * @return list<string>
     */
    public function usual(array $also): array
    {
        $hasBody = $this->request->body !== '';
        if ($also === []) {
            return $hasBody ? [...self::ALWAYS, 'content-digest'] : self::ALWAYS;
        }
        $isThere = fn (string $name) => match (true) {
            in_array($name, self::OF_BODY, true) => $hasBody,
            $name === 'content-type' => $this->headers()->values($name) !== [],
            default => true,
        };
        $wanted = array_filter($also, $isThere);
        return array_values(array_unique([...self::ALWAYS, ...($hasBody ? ['content-digest'] : []), ...$wanted]));
    }

    /** @param list<string> $names whether the request has all of these, and they can be signed */
    public function have(array $names): bool
    {
        try {
            array_map($this->value(...), $names);
            return count($names) === count(array_unique($names));
        } catch (Problem) {
            return false;
        }
    }

    /** @throws Problem HEADER_NOT_SIGNABLE */
    public function value(string $name): string
    {
        return match ($name) {
            '@method' => $this->request->method,
            '@authority' => $this->authority(),
            '@path' => $this->target->path,
            '@query' => '?' . ($this->target->query ?? ''),
            '@request-target' => $this->target->text(),
            '@target-uri' => "{$this->scheme()}://{$this->authority()}{$this->target->text()}",
            '@scheme' => $this->scheme(),
            'content-length' => (string) strlen($this->request->body),
            'content-digest' => $this->request->body === '' ? $this->field($name) : $this->digest,
            default => $this->field($name),
        };
    }

    private function scheme(): string
    {
        return strtolower((string) strstr($this->target->origin, ':', true));
    }

    /** What a header Host says is what is sent. */
    private function authority(): string
    {
        if ($this->headers()->values('host') === []) {
            return strtolower($this->target->authority);
        }
        $authority = strtolower(SignableHeaders::value('host', $this->request->headers, $this->target));
        if (preg_match('/^[a-z0-9._:\[\]-]+\z/', $authority) !== 1) {
            throw Problem::of(ProblemCode::HeaderNotSignable, 'The header host is no authority.');
        }
        return (string) preg_replace($this->scheme() === 'https' ? '/:443\z/' : '/:80\z/', '', $authority);
    }

    private function headers(): HeaderList
    {
        return new HeaderList($this->request->headers);
    }

    private function field(string $name): string
    {
        if ($name !== strtolower($name) || $name === 'signature' || $name === 'signature-input') {
            throw Problem::of(ProblemCode::HeaderNotSignable, 'A component that is to be signed cannot be signed.');
        }
        return SignableHeaders::value($name, $this->request->headers, $this->target);
    }
}
