<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

use Postern\Client\PrivateKey;
use Postern\Client\Problem;
use Postern\Client\ProblemCode;

/**
 * A private key with one algorithm.
 *
 * @internal
 */
final class Signing
{
    use Opaque;

    /** By the names of RFC 9421 §3.3: the kind of key, and the scheme. The first of a kind is its default. */
    public const OF_MESSAGES = [
        'ed25519' => ['Ed25519', 'ed25519'],
        'ecdsa-p256-sha256' => ['P-256', 'ecdsa-p256'],
        'ecdsa-p384-sha384' => ['P-384', 'ecdsa-p384'],
        'rsa-pss-sha512' => ['RSA', 'pss-sha512'],
        'rsa-v1_5-sha256' => ['RSA', 'v1_5-sha256'],
    ];
    /** By the names of RFC 7518 §3.1 and RFC 8037. */
    public const OF_ASSERTIONS = [
        'EdDSA' => ['Ed25519', 'ed25519'],
        'ES256' => ['P-256', 'ecdsa-p256'],
        'ES384' => ['P-384', 'ecdsa-p384'],
        'PS256' => ['RSA', 'pss-sha256'],
        'PS512' => ['RSA', 'pss-sha512'],
        'RS256' => ['RSA', 'v1_5-sha256'],
    ];

    /** The bytes of each of the two numbers of an ECDSA signature. */
    private const HALVES = ['ecdsa-p256' => 32, 'ecdsa-p384' => 48];
    private const RSA_BYTES = ['min' => 256, 'max' => 1024];

    private function __construct(
        private readonly PrivateKey $key,
        /** Its name. */
        public readonly string $algorithm,
        private readonly string $scheme,
    ) {
    }

    /**
     * @param array<string, array{string, string}> $algorithms those that the method has
     * @param string|null $name null for that of the key
     * @throws Problem INVALID_CREDENTIAL
     */
    public static function with(PrivateKey $key, array $algorithms, ?string $name): self
    {
        $names = implode(', ', array_keys($algorithms));
        if ($name === null) {
            Settings::require($key->kind !== null, "A signer needs its algorithm, one of $names.");
            $fitting = array_filter($algorithms, static fn (array $each) => $each[0] === $key->kind);
            $name = (string) array_key_first($fitting);
        }
        Settings::require(isset($algorithms[$name]), "The algorithm is none of $names.");
        [$kind, $scheme] = $algorithms[$name];
        Settings::require($key->kind === null || $key->kind === $kind, 'The algorithm is not one of the private key.');
        return new self($key, $name, $scheme);
    }

    /** @throws Problem SIGNER_FAILED */
    public function sign(string $bytes): string
    {
        try {
            $signature = $this->key->sign($bytes, $this->scheme);
        } catch (\Throwable $cause) {
            throw Problem::of(ProblemCode::SignerFailed, 'The signer of the private key failed.', $cause);
        }
        $half = self::HALVES[$this->scheme] ?? null;
        if ($half !== null && is_string($signature) && strlen($signature) !== 2 * $half) {
            $signature = EcdsaSignature::fromDer($signature, $half);
        }
        $length = is_string($signature) ? strlen($signature) : 0;
        $isRight = match (true) {
            $half !== null => $length === 2 * $half,
            $this->scheme === 'ed25519' => $length === 64,
            default => $length >= self::RSA_BYTES['min'] && $length <= self::RSA_BYTES['max'],
        };
        if (!$isRight) {
            throw Problem::of(ProblemCode::SignerFailed, "The signer gave what is no signature of $this->algorithm.");
        }
        return $signature;
    }
}
