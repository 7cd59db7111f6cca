<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * Signs with keys in memory: Ed25519 by sodium, the others by OpenSSL.
 *
 * @internal
 */
final class LocalSigner
{
    private const RSA_BITS = ['min' => 2048, 'max' => 8192];
    private const CURVES = ['P-256' => 'prime256v1', 'P-384' => 'secp384r1'];

    /** @return \Closure(string, string): string signs with the Ed25519 key of these 32 bytes */
    public static function ofSeed(#[\SensitiveParameter] string $seed): \Closure
    {
        $secret = new Secret(sodium_crypto_sign_secretkey(self::pairOf($seed)));
        return static fn (string $bytes): string => sodium_crypto_sign_detached($bytes, $secret->reveal());
    }

    /** The public part of an Ed25519 key. */
    public static function publicOfSeed(#[\SensitiveParameter] string $seed): string
    {
        return sodium_crypto_sign_publickey(self::pairOf($seed));
    }

    /**
     * @param string $kind `P-256`, `P-384` or `RSA`
     * @param array<string, string> $public the numbers that the key must have, by OpenSSL's names
     * @return \Closure(string, string): string
     */
    public static function ofOpenSsl(string $kind, #[\SensitiveParameter] string $pem, array $public = []): \Closure
    {
        Settings::require(extension_loaded('openssl'), 'A private key of this kind needs the extension openssl.');
        $key = openssl_pkey_get_private($pem);
        $details = $key === false ? [] : (array) openssl_pkey_get_details($key);
        $numbers = $details['ec'] ?? $details['rsa'] ?? [];
        $isKind = isset(self::CURVES[$kind])
            ? ($numbers['curve_name'] ?? null) === self::CURVES[$kind]
            : isset($details['rsa']);
        Settings::require($key !== false && $isKind, 'The private key cannot be read.');
        $bits = $details['bits'];
        Settings::require(
            $kind !== 'RSA' || ($bits >= self::RSA_BITS['min'] && $bits <= self::RSA_BITS['max']),
            'The RSA key has fewer than 2048 bits or more than 8192.',
        );
        foreach ($public as $name => $value) {
            Settings::require(
                ltrim($value, "\0") === ltrim((string) ($numbers[$name] ?? ''), "\0"),
                'The public part of the private key is not its own.',
            );
        }
        return static fn (string $bytes, string $scheme): string => match ($scheme) {
            'pss-sha256' => self::raw(PssEncoding::of($bytes, 'sha256', $bits), $key),
            'pss-sha512' => self::raw(PssEncoding::of($bytes, 'sha512', $bits), $key),
            'ecdsa-p384' => self::hashed($bytes, \OPENSSL_ALGO_SHA384, $key),
            default => self::hashed($bytes, \OPENSSL_ALGO_SHA256, $key),
        };
    }

    private static function hashed(string $bytes, int $hash, #[\SensitiveParameter] \OpenSSLAsymmetricKey $key): string
    {
        return openssl_sign($bytes, $signature, $key, $hash) ? $signature : '';
    }

    private static function raw(string $encoded, #[\SensitiveParameter] \OpenSSLAsymmetricKey $key): string
    {
        return openssl_private_encrypt($encoded, $signature, $key, \OPENSSL_NO_PADDING) ? $signature : '';
    }

    private static function pairOf(#[\SensitiveParameter] string $seed): string
    {
        Settings::require(extension_loaded('sodium'), 'An Ed25519 key needs the extension sodium.');
        return WithoutArguments::during(static fn () => sodium_crypto_sign_seed_keypair($seed));
    }

    private function __construct()
    {
    }
}
