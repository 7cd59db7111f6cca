<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\Jwk;
use Postern\Client\Internal\LocalSigner;
use Postern\Client\Internal\Opaque;
use Postern\Client\Internal\PrivateKeyInfo;
use Postern\Client\Internal\Secret;
use Postern\Client\Internal\Settings;

/**
 * A private key, or what signs with one that stays elsewhere: in a KMS, an HSM or another process.
 *
 * Keys are Ed25519 (with PHP's extension sodium), or on P-256 or P-384, or RSA of 2048 to 8192 bits (with openssl).
 */
final class PrivateKey
{
    use Opaque;

    /** @var Secret of a closure that signs bytes by a scheme */
    private readonly Secret $signer;

    /**
     * @param string|null $kind `Ed25519`, `P-256`, `P-384` or `RSA`; null when only the signer knows
     * @param \Closure(string, string): mixed $sign
     */
    private function __construct(public readonly ?string $kind, #[\SensitiveParameter] \Closure $sign)
    {
        $this->signer = new Secret($sign);
    }

    /**
     * A key from a PEM in PKCS#8: one block `PRIVATE KEY`, not encrypted.
     *
     * @throws Problem INVALID_CREDENTIAL
     */
    public static function fromPem(#[\SensitiveParameter] string $pem): self
    {
        $info = PrivateKeyInfo::ofPem($pem);
        Settings::require(
            $info !== null,
            'The private key is no PEM in PKCS#8 of an Ed25519, P-256, P-384 or RSA key. '
                . '"openssl pkcs8 -topk8 -nocrypt" changes other forms to it.',
        );
        $sign = $info->seed === null ? LocalSigner::ofOpenSsl($info->kind, $pem) : LocalSigner::ofSeed($info->seed);
        return new self($info->kind, $sign);
    }

    /**
     * A key from a private JWK (RFC 7518 §6, RFC 8037).
     *
     * @param array<string, mixed>|string $jwk the object, or its JSON
     * @throws Problem INVALID_CREDENTIAL
     */
    public static function fromJwk(#[\SensitiveParameter] array|string $jwk): self
    {
        $key = Jwk::read($jwk);
        return new self($key->kind, $key->signer());
    }

    /**
     * A key that stays where it is. The credential needs its algorithm.
     *
     * @param \Closure(string): string $sign gives the signature of the bytes, which it hashes itself; that of ECDSA as
     *     r and s of equal length, or as DER. What it throws ends the call with SIGNER_FAILED.
     */
    public static function fromSigner(#[\SensitiveParameter] \Closure $sign): self
    {
        return new self(null, static fn (string $bytes): mixed => $sign($bytes));
    }

    /** @internal what {@see Internal\Signing} calls with bytes and a scheme of it */
    public function sign(string $bytes, string $scheme): mixed
    {
        return ($this->signer->reveal())($bytes, $scheme);
    }

    /** @return array<string, string|null> */
    public function __debugInfo(): array
    {
        return ['kind' => $this->kind, 'key' => Secret::SHOWN];
    }
}
