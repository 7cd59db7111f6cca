<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\Secret;
use Postern\Client\Internal\Settings;
use Postern\Client\Internal\Target;
use Postern\Client\Internal\Token;

/** A credential that gets access tokens: {@see OAuth2} or {@see PrivateKeyJwt}. They are kept in memory. */
abstract class TokenCredential extends Credential
{
    private const MAX_ANSWER_BYTES = 65_536;
    /** Those of RFC 6749. Another text may repeat the App Secret, in any encoding. */
    private const KNOWN_ERRORS = [
        'invalid_request',
        'invalid_client',
        'invalid_grant',
        'unauthorized_client',
        'unsupported_grant_type',
        'invalid_scope',
        'server_error',
        'temporarily_unavailable',
    ];

    private ?Token $token = null;

    /**
     * @param (\Closure(): (int|float))|null $now
     * @throws Problem INVALID_CREDENTIAL
     */
    protected function __construct(
        public readonly string $tokenUrl,
        int $retries,
        int $clockCorrection,
        ?\Closure $now,
    ) {
        parent::__construct($retries, $clockCorrection, $now);
        try {
            Target::of($tokenUrl);
        } catch (Problem) {
            Settings::require(false, 'The token URL is not an absolute URL of http or https.');
        }
    }

    /**
     * Sets the token that is there. The adapters get one first.
     *
     * @throws \LogicException when there is no token
     */
    public function sign(Request $request): SignedRequest
    {
        $token = $this->token ?? throw new \LogicException('There is no token yet: use an adapter.');
        return new SignedRequest($request, Target::of($request->url), [['Authorization', "Bearer {$token->text()}"]]);
    }

    /** @internal whether a token is there that need not be renewed */
    public function hasToken(): bool
    {
        return $this->token !== null && !$this->token->isDue($this->clock()->machine());
    }

    /**
     * @internal the question to the token URL
     * @throws Problem SIGNER_FAILED
     */
    abstract public function tokenRequest(): SignedRequest;

    /**
     * @internal takes the token from the answer to {@see tokenRequest()}
     * @param string $date the Date of the answer
     * @param bool $isFirst whether the question may be asked once more
     * @return bool whether there is a token; false when the question is to be asked once more
     * @throws TokenRefused when there is none
     */
    public function acceptToken(
        int $status,
        #[\SensitiveParameter] string $body,
        string $date = '',
        bool $isFirst = false,
    ): bool {
        $content = strlen($body) > self::MAX_ANSWER_BYTES ? null : json_decode($body, true);
        $content = is_array($content) ? $content : [];
        $token = $status === 200 ? Token::of($content, $this->clock()->machine()) : null;
        if ($token === null) {
            $error = $content['error'] ?? null;
            if ($isFirst && $error === 'invalid_client' && $this->mayBeOfClock($date)) {
                return false;
            }
            throw TokenRefused::of($status, in_array($error, self::KNOWN_ERRORS, true) ? $error : null);
        }
        $this->token = $token;
        return true;
    }

    /** @internal drops the token unless another one is there already */
    public function dropToken(?Token $token): void
    {
        if ($this->token === $token) {
            $this->token = null;
        }
    }

    /** @internal the token that {@see sign()} sets now */
    public function token(): ?Token
    {
        return $this->token;
    }

    public function redact(#[\SensitiveParameter] string $text): string
    {
        return $this->token === null ? $text : str_replace($this->token->text(), Secret::SHOWN, $text);
    }

    /** Whether the clock was corrected by the Date of a refusal. */
    protected function mayBeOfClock(string $date): bool
    {
        return false;
    }

    /** @param list<array{string, string}> $set headers that hold the credential */
    protected function question(#[\SensitiveParameter] string $body, #[\SensitiveParameter] array $set): SignedRequest
    {
        $request = new Request('POST', $this->tokenUrl, [
            ['Content-Type', 'application/x-www-form-urlencoded'],
            ['Content-Length', (string) strlen($body)],
            ['Accept', 'application/json'],
        ]);
        return new SignedRequest($request, Target::of($this->tokenUrl), $set, $body);
    }
}
