<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * An access token and when it is to be renewed.
 *
 * @internal
 */
final class Token
{
    use Opaque;

    /** Without `expires_in` in the answer: an hour, the longest life of the gateway's tokens. */
    private const USUAL_LIFE = 3600;
    private const LONGEST_MARGIN = 60;

    private readonly Secret $text;

    private function __construct(#[\SensitiveParameter] string $text, private readonly float $renewAt)
    {
        $this->text = new Secret($text);
    }

    /** @param array<mixed> $answer the content of the token URL's answer; null when it holds no usable token */
    public static function of(#[\SensitiveParameter] array $answer, int $now): ?self
    {
        $text = $answer['access_token'] ?? null;
        $type = $answer['token_type'] ?? null;
        $life = $answer['expires_in'] ?? self::USUAL_LIFE;
        if (!is_string($text) || preg_match('/^[\x21-\x7E]+\z/', $text) !== 1) {
            return null;
        }
        if (!is_string($type) || strcasecmp($type, 'bearer') !== 0) {
            return null;
        }
        if (!(is_int($life) || is_float($life)) || $life <= 0) {
            return null;
        }
        return new self($text, $now + $life - min(self::LONGEST_MARGIN, $life / 10));
    }

    public function text(): string
    {
        return $this->text->reveal();
    }

    /** Whether too little of its life is left. */
    public function isDue(int $now): bool
    {
        return $now > $this->renewAt;
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['text' => Secret::SHOWN, 'renewAt' => $this->renewAt];
    }
}
