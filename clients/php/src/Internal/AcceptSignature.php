<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * A signature that a gateway asks for (RFC 9421 §5.1).
 *
 * @internal
 */
final class AcceptSignature
{
    private const MAX_NONCE = 256;

    /** @param list<string> $components names, without parameters */
    private function __construct(
        public readonly string $label,
        public readonly array $components,
        public readonly ?string $nonce,
        public readonly ?string $tag,
    ) {
    }

    /**
     * Reads the members of the field that this credential can do, as far as the request does not matter.
     *
     * @param string $text all lines of the field, joined by `, `
     * @return iterable<self>
     */
    public static function read(string $text, string $appKey, string $algorithm): iterable
    {
        foreach (StructuredDictionary::parse($text) ?? [] as $label => ['items' => $items, 'parameters' => $given]) {
            $components = [];
            foreach ($items ?? [] as [$item, $parameters]) {
                $components[] = $parameters === [] ? StructuredString::plain($item) : null;
            }
            $texts = array_map(StructuredString::plain(...), $given);
            $nonce = $texts['nonce'] ?? null;
            $isKnown = $items !== null && !in_array(null, $components, true)
                && array_diff(array_keys($given), ['created', 'nonce', 'tag', 'keyid', 'alg']) === []
                && ($given['created'] ?? true) === true
                && (!isset($given['nonce']) || (($nonce ?? '') !== '' && strlen($nonce) <= self::MAX_NONCE))
                && (!isset($given['tag']) || ($texts['tag'] ?? '') !== '')
                && (!isset($given['keyid']) || $texts['keyid'] === $appKey)
                && (!isset($given['alg']) || $texts['alg'] === $algorithm);
            if ($isKnown) {
                yield new self((string) $label, $components, $nonce, $texts['tag'] ?? null);
            }
        }
    }
}
