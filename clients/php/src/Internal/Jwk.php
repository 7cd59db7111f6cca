<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

/**
 * A private JWK (RFC 7518 §6, RFC 8037 §2).
 *
 * @internal
 */
final class Jwk
{
    use Opaque;

    /** The bytes of a number, and the identifier of the curve in DER. */
    private const CURVES = [
        'P-256' => [32, "\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07"],
        'P-384' => [48, "\x06\x05\x2b\x81\x04\x00\x22"],
    ];

    /** @var Secret of the members */
    private readonly Secret $members;

    private function __construct(public readonly string $kind, #[\SensitiveParameter] Secret $members)
    {
        $this->members = $members;
    }

    /**
     * @param array<string, mixed>|string $jwk
     * @throws \Postern\Client\Problem INVALID_CREDENTIAL
     */
    public static function read(#[\SensitiveParameter] array|string $jwk): self
    {
        $members = is_string($jwk) ? json_decode($jwk, true) : $jwk;
        $members = is_array($members) ? $members : [];
        $curve = is_string($members['crv'] ?? null) ? $members['crv'] : '';
        $kind = match ($members['kty'] ?? null) {
            'OKP' => $curve === 'Ed25519' ? $curve : null,
            'EC' => isset(self::CURVES[$curve]) ? $curve : null,
            'RSA' => 'RSA',
            default => null,
        };
        Settings::require($kind !== null, 'The private key is no JWK of an Ed25519, P-256, P-384 or RSA key.');
        return new self($kind, new Secret($members));
    }

    /** @return \Closure(string, string): string */
    public function signer(): \Closure
    {
        return match ($this->kind) {
            'Ed25519' => $this->ofEd25519(),
            'RSA' => $this->ofRsa(),
            default => $this->ofCurve(),
        };
    }

    private function ofEd25519(): \Closure
    {
        $seed = $this->part('d', 32);
        Settings::require(
            $this->part('x', 32) === LocalSigner::publicOfSeed($seed),
            'The public part of the private key is not its own.',
        );
        return LocalSigner::ofSeed($seed);
    }

    private function ofCurve(): \Closure
    {
        [$size, $identifier] = self::CURVES[$this->kind];
        // Without the public part, which OpenSSL then makes itself (RFC 5915).
        $der = Der::write(Der::SEQUENCE, Der::number("\x01") . Der::write(Der::OCTETS, $this->part('d', $size))
            . Der::write("\xa0", $identifier));
        $public = ['x' => $this->part('x', $size), 'y' => $this->part('y', $size)];
        return LocalSigner::ofOpenSsl($this->kind, Der::pem('EC PRIVATE KEY', $der), $public);
    }

    private function ofRsa(): \Closure
    {
        $numbers = Der::number("\0");
        foreach (['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'] as $name) {
            $numbers .= Der::number($this->part($name));
        }
        $pem = Der::pem('RSA PRIVATE KEY', Der::write(Der::SEQUENCE, $numbers));
        return LocalSigner::ofOpenSsl($this->kind, $pem);
    }

    /** The bytes of a member. */
    private function part(string $name, ?int $size = null): string
    {
        $bytes = Base64Url::decode($this->members->reveal()[$name] ?? null);
        $isRight = $bytes !== null && ($size === null || strlen($bytes) === $size);
        Settings::require($isRight, "The member $name of the JWK is absent or not valid.");
        return $bytes;
    }
}
