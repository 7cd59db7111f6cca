<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * Reads a dictionary of structured fields (RFC 8941 §4.2.2).
 *
 * Bare items are a bool, an int, a float, a {@see StructuredString}, or null for tokens and bytes, which nobody asks
 * for here.
 *
 * @internal
 */
final class StructuredDictionary
{
    private const MAX_BYTES = 65_536;
    private const KEY = '/\G[a-z*][a-z0-9_.*-]*/';
    private const NUMBER = '/\G-?(?:\d{1,12}\.\d{1,3}(?!\d)|\d{1,15}(?![\d.]))/';
    private const STRING = '/\G"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\\\["\\\\])*)"/';
    private const TOKEN = '/\G[A-Za-z*][!#$%&\'*+.^_`|~0-9A-Za-z:\/-]*/';
    private const BYTES = '/\G:[A-Za-z0-9+\/=]*:/';

    private int $at = 0;
    private bool $failed = false;

    private function __construct(private readonly string $text)
    {
    }

    /**
     * The members by their keys, each with its parameters; `items` is null for a member that is no inner list.
     *
     * @return array<string, array{
     *     items: list<array{mixed, array<string, mixed>}>|null,
     *     parameters: array<string, mixed>,
     * }>|null null for a text that does not parse
     */
    public static function parse(string $text): ?array
    {
        if (strlen($text) > self::MAX_BYTES) {
            return null;
        }
        $reader = new self(trim($text, ' '));
        $members = $reader->members();
        return $reader->failed ? null : $members;
    }

    /** @return array<string, mixed> */
    private function members(): array
    {
        $members = [];
        while (!$this->failed && $this->at < strlen($this->text)) {
            $key = $this->take(self::KEY);
            $members[$key] = $this->skip('=')
                ? $this->member()
                : ['items' => null, 'parameters' => $this->parameters()];
            $this->take('/\G[ \t]*/');
            if ($this->at < strlen($this->text)) {
                $this->take('/\G,[ \t]*(?=.)/s');
            }
        }
        return $members;
    }

    /** @return array{items: list<array{mixed, array<string, mixed>}>|null, parameters: array<string, mixed>} */
    private function member(): array
    {
        if (!$this->skip('(')) {
            $this->bareItem();
            return ['items' => null, 'parameters' => $this->parameters()];
        }
        $items = [];
        $this->take('/\G */');
        while (!$this->failed && !$this->skip(')')) {
            $items[] = [$this->bareItem(), $this->parameters()];
            $this->take('/\G(?: +|(?=\)))/');
        }
        return ['items' => $items, 'parameters' => $this->parameters()];
    }

    /** @return array<string, mixed> */
    private function parameters(): array
    {
        $parameters = [];
        while (!$this->failed && $this->skip(';')) {
            $this->take('/\G */');
            $key = $this->take(self::KEY);
            $parameters[$key] = $this->skip('=') ? $this->bareItem() : true;
        }
        return $parameters;
    }

    private function bareItem(): mixed
    {
        $next = $this->text[$this->at] ?? '';
        if ($next === '"') {
            $this->take(self::STRING, $parts);
            return new StructuredString(stripslashes($parts[1] ?? ''));
        }
        if ($next === '?') {
            return $this->take('/\G\?[01]/') === '?1';
        }
        if ($next === ':') {
            $this->take(self::BYTES);
            return null;
        }
        if ($next === '-' || ctype_digit($next)) {
            $number = $this->take(self::NUMBER);
            return str_contains($number, '.') ? (float) $number : (int) $number;
        }
        $this->take(self::TOKEN);
        return null;
    }

    private function skip(string $character): bool
    {
        $is = !$this->failed && ($this->text[$this->at] ?? '') === $character;
        $this->at += $is ? 1 : 0;
        return $is;
    }

    /** @param array<string>|null $parts */
    private function take(string $pattern, ?array &$parts = null): string
    {
        if ($this->failed || preg_match($pattern, $this->text, $parts, 0, $this->at) !== 1) {
            $this->failed = true;
            return '';
        }
        $this->at += strlen($parts[0]);
        return $parts[0];
    }
}
