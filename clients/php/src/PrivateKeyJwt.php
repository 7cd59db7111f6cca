<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\Base64Url;
use Postern\Client\Internal\Nonces;
use Postern\Client\Internal\Secret;
use Postern\Client\Internal\Settings;
use Postern\Client\Internal\Signing;

/** Method `oauth2` with a private key in place of the App Secret: `private_key_jwt` (RFC 7523). */
final class PrivateKeyJwt extends TokenCredential
{
    private const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    private const LIFE_SECONDS = 60;
    private const LEAST_CORRECTION_SECONDS = 30;

    private readonly Signing $signing;
    private readonly Nonces $nonces;
    private readonly string $audience;

    /**
     * @param PrivateKey $privateKey the key, or what signs with it
     * @param string $tokenUrl absolute: the gateway's `/oauth2/token`
     * @param string|null $algorithm by its name in JWT, such as `ES256`; null for that of the key
     * @param string|null $audience the gateway's issuer, where it takes only that; null for the token URL
     * @param int $retries how often a refused call is made again, besides the first time
     * @param int $clockCorrection the largest correction of the clock in seconds, by the gateway's answers; 0 for none
     * @param (\Closure(): (int|float))|null $now Unix time in seconds; null for the machine's clock
     * @param (\Closure(): string)|null $nonces a source of numbers for `jti`; null for a cryptographic one
     * @throws Problem INVALID_CREDENTIAL
     */
    public function __construct(
        public readonly string $appKey,
        PrivateKey $privateKey,
        string $tokenUrl,
        ?string $algorithm = null,
        ?string $audience = null,
        int $retries = 2,
        int $clockCorrection = 0,
        ?\Closure $now = null,
        ?\Closure $nonces = null,
    ) {
        Settings::keyId($appKey);
        $this->signing = Signing::with($privateKey, Signing::OF_ASSERTIONS, $algorithm);
        $this->nonces = new Nonces($nonces);
        parent::__construct($tokenUrl, $retries, $clockCorrection, $now);
        $this->audience = $audience ?? $tokenUrl;
        Settings::require(preg_match('/^[\x21-\x7e]+\z/', $this->audience) === 1, 'The audience is not valid.');
    }

    public function tokenRequest(): SignedRequest
    {
        return $this->question(Parameters::encode([
            'grant_type' => 'client_credentials',
            'client_id' => $this->appKey,
            'client_assertion_type' => self::ASSERTION_TYPE,
            'client_assertion' => $this->assertion(),
        ]), []);
    }

    /**
     * An assertion for one question to the token URL, for programs that ask by themselves. It is a secret for a minute.
     *
     * @throws Problem SIGNER_FAILED
     */
    public function assertion(): string
    {
        $now = $this->clock()->present();
        $header = ['alg' => $this->signing->algorithm, 'typ' => 'JWT'];
        $claims = [
            'iss' => $this->appKey,
            'sub' => $this->appKey,
            'aud' => $this->audience,
            'jti' => $this->nonces->next(),
            'iat' => $now,
            'exp' => $now + self::LIFE_SECONDS,
        ];
        $json = static fn (array $members) => Base64Url::encode(json_encode(
            $members,
            \JSON_THROW_ON_ERROR | \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE,
        ));
        $text = "{$json($header)}.{$json($claims)}";
        return $text . '.' . Base64Url::encode($this->signing->sign($text));
    }

    public function __debugInfo(): array
    {
        return [
            'appKey' => $this->appKey,
            'privateKey' => Secret::SHOWN,
            'algorithm' => $this->signing->algorithm,
            'tokenUrl' => $this->tokenUrl,
            'audience' => $this->audience,
            'token' => $this->token(),
            'retries' => $this->retries,
        ];
    }

    protected function mayBeOfClock(string $date): bool
    {
        return $this->clock()->correctBy($date, self::LEAST_CORRECTION_SECONDS);
    }
}
