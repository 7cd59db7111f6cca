<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\Secret;
use Postern\Client\Internal\Settings;
use Postern\Client\Internal\Target;
use Postern\Client\Internal\Token;

/** Method `oauth2`: a token for client credentials, kept in memory and renewed in time. */
final class OAuth2 extends Credential
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

    private readonly Secret $appSecret;
    private ?Token $token = null;

    /**
     * @param string $tokenUrl absolute: the gateway's `/oauth2/token`
     * @param int $retries how often a refused call is made again, besides the first time
     * @param (\Closure(): (int|float))|null $now Unix time in seconds; null for the machine's clock
     * @throws Problem INVALID_CREDENTIAL
     */
    public function __construct(
        public readonly string $appKey,
        #[\SensitiveParameter] string $appSecret,
        public readonly string $tokenUrl,
        int $retries = 2,
        ?\Closure $now = null,
    ) {
        parent::__construct($retries, 0, $now);
        Settings::appKey($appKey);
        $this->appSecret = Settings::appSecret($appSecret);
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

    /** @internal the question to the token URL */
    public function tokenRequest(): SignedRequest
    {
        $basic = base64_encode(urlencode($this->appKey) . ':' . urlencode($this->appSecret->reveal()));
        $body = 'grant_type=client_credentials';
        $request = new Request('POST', $this->tokenUrl, [
            ['Content-Type', 'application/x-www-form-urlencoded'],
            ['Content-Length', (string) strlen($body)],
            ['Accept', 'application/json'],
        ], $body);
        return new SignedRequest($request, Target::of($this->tokenUrl), [['Authorization', "Basic $basic"]]);
    }

    /**
     * @internal takes the token from the answer to {@see tokenRequest()}
     * @throws TokenRefused when there is none
     */
    public function acceptToken(int $status, #[\SensitiveParameter] string $body): void
    {
        $content = strlen($body) > self::MAX_ANSWER_BYTES ? null : json_decode($body, true);
        $content = is_array($content) ? $content : [];
        $token = $status === 200 ? Token::of($content, $this->clock()->machine()) : null;
        if ($token === null) {
            $error = $content['error'] ?? null;
            throw TokenRefused::of($status, in_array($error, self::KNOWN_ERRORS, true) ? $error : null);
        }
        $this->token = $token;
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
        $secrets = [$this->appSecret->reveal(), ...($this->token === null ? [] : [$this->token->text()])];
        return str_replace($secrets, Secret::SHOWN, $text);
    }

    public function __debugInfo(): array
    {
        return [
            'appKey' => $this->appKey,
            'appSecret' => Secret::SHOWN,
            'tokenUrl' => $this->tokenUrl,
            'token' => $this->token,
            'retries' => $this->retries,
        ];
    }
}
