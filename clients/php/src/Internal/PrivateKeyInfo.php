<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * What a PKCS#8 structure holds (RFC 5208, RFC 5958): the kind of key and, for Ed25519, its 32 bytes.
 *
 * @internal
 */
final class PrivateKeyInfo
{
    use Opaque;

    private const BLOCK = '/^\s*-----BEGIN PRIVATE KEY-----\s+([A-Za-z0-9+\/=\s]+)-----END PRIVATE KEY-----\s*\z/';

    /** By their identifiers in DER. */
    private const KINDS = [
        '06032b6570' => 'Ed25519',
        '06072a8648ce3d020106082a8648ce3d030107' => 'P-256',
        '06072a8648ce3d020106052b81040022' => 'P-384',
        '06092a864886f70d0101010500' => 'RSA',
    ];

    private function __construct(
        public readonly string $kind,
        #[\SensitiveParameter] public readonly ?string $seed,
    ) {
    }

    /** Null for a text that is no PEM of a key of a known kind. */
    public static function ofPem(#[\SensitiveParameter] string $pem): ?self
    {
        if (preg_match(self::BLOCK, $pem, $parts) !== 1) {
            return null;
        }
        $der = (string) base64_decode((string) preg_replace('/\s+/', '', $parts[1]), true);
        $at = $inner = 0;
        $whole = Der::read($der, $at, Der::SEQUENCE);
        if ($whole === null || $at !== strlen($der)) {
            return null;
        }
        $version = Der::read($whole, $inner, Der::INTEGER);
        $identifier = Der::read($whole, $inner, Der::SEQUENCE);
        $key = Der::read($whole, $inner, Der::OCTETS);
        $kind = self::KINDS[bin2hex((string) $identifier)] ?? null;
        if ($kind === null || $key === null || !in_array($version, ["\0", "\1"], true)) {
            return null;
        }
        if ($kind !== 'Ed25519') {
            return new self($kind, null);
        }
        return strlen($key) === 34 && str_starts_with($key, "\x04\x20") ? new self($kind, substr($key, 2)) : null;
    }
}
