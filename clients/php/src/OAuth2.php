<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\Secret;
use Postern\Client\Internal\Settings;

/** Method `oauth2`: a token for client credentials, kept in memory and renewed in time. */
final class OAuth2 extends TokenCredential
{
    private readonly Secret $appSecret;

    /**
     * @param string $tokenUrl absolute: the gateway's `/oauth2/token`
     * @param int $retries how often a refused call is made again, besides the first time
     * @param (\Closure(): (int|float))|null $now Unix time in seconds; null for the machine's clock
     * @throws Problem INVALID_CREDENTIAL
     */
    public function __construct(
        public readonly string $appKey,
        #[\SensitiveParameter] string $appSecret,
        string $tokenUrl,
        int $retries = 2,
        ?\Closure $now = null,
    ) {
        Settings::appKey($appKey);
        $this->appSecret = Settings::appSecret($appSecret);
        parent::__construct($tokenUrl, $retries, 0, $now);
    }

    public function tokenRequest(): SignedRequest
    {
        $basic = base64_encode(urlencode($this->appKey) . ':' . urlencode($this->appSecret->reveal()));
        return $this->question('grant_type=client_credentials', [['Authorization', "Basic $basic"]]);
    }

    public function redact(#[\SensitiveParameter] string $text): string
    {
        return parent::redact(str_replace($this->appSecret->reveal(), Secret::SHOWN, $text));
    }

    public function __debugInfo(): array
    {
        return [
            'appKey' => $this->appKey,
            'appSecret' => Secret::SHOWN,
            'tokenUrl' => $this->tokenUrl,
            'token' => $this->token(),
            'retries' => $this->retries,
        ];
    }
}
