<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\HttpDate;
use Postern\Client\Internal\Nonces;
use Postern\Client\Internal\Secret;
use Postern\Client\Internal\Settings;
use Postern\Client\Internal\SignableHeaders;
use Postern\Client\Internal\Target;

/** Method `hmac`: signs the request line, the date, the body and chosen headers. */
final class Hmac extends Credential
{
    /** The largest body that the gateway takes, in bytes. */
    public const MAX_BODY_BYTES = 10_485_760;

    private const HASHES = ['hmac-sha256' => 'sha256', 'hmac-sha384' => 'sha384', 'hmac-sha512' => 'sha512'];

    private readonly Secret $appSecret;
    private readonly Nonces $nonces;

    /** @var list<string> in lower case, each once */
    private readonly array $signedHeaders;

    /** @var list<string> what is signed with a body, in order */
    private readonly array $namesWithBody;

    /** @var list<string> the same without a body */
    private readonly array $namesWithoutBody;

    /**
     * @param string $algorithm `hmac-sha256`, `hmac-sha384` or `hmac-sha512`
     * @param list<string> $signedHeaders more headers to sign, such as `host`
     * @param bool $nonce for endpoints with replay protection: makes every signature another one
     * @param int $retries how often a refused call is made again, besides the first time
     * @param int $clockCorrection the largest correction of the clock in seconds, by the gateway's answers; 0 for none
     * @param (\Closure(): (int|float))|null $now Unix time in seconds; null for the machine's clock
     * @param (\Closure(): string)|null $nonces a source of nonces; null for a cryptographic one
     * @throws Problem INVALID_CREDENTIAL
     */
    public function __construct(
        public readonly string $appKey,
        #[\SensitiveParameter] string $appSecret,
        public readonly string $algorithm = 'hmac-sha256',
        array $signedHeaders = [],
        private readonly bool $nonce = false,
        int $retries = 2,
        int $clockCorrection = 0,
        ?\Closure $now = null,
        ?\Closure $nonces = null,
    ) {
        parent::__construct($retries, $clockCorrection, $now);
        Settings::appKey($appKey);
        $this->appSecret = Settings::appSecret($appSecret);
        Settings::require(
            isset(self::HASHES[$algorithm]),
            'The algorithm is none of hmac-sha256, hmac-sha384 and hmac-sha512.',
        );
        $names = array_map(static fn (string $name) => strtolower($name), array_values($signedHeaders));
        $this->signedHeaders = array_values(array_unique($names));
        $this->namesWithBody = $this->names(true);
        $this->namesWithoutBody = $this->names(false);
        $this->nonces = new Nonces($nonces);
    }

    public function sign(Request $request): SignedRequest
    {
        $target = Target::of($request->url);
        if (strlen($request->body) > self::MAX_BODY_BYTES) {
            throw Problem::of(ProblemCode::BodyTooLarge, 'The body has more than 10 485 760 bytes.');
        }
        $own = ['date' => HttpDate::format($this->clock()->now())];
        $set = [['Date', $own['date']]];
        if ($request->body !== '') {
            $own['digest'] = 'SHA-256=' . base64_encode(hash('sha256', $request->body, true));
            $set[] = ['Digest', $own['digest']];
        }
        if ($this->nonce) {
            $own['x-nonce'] = $this->nonces->next();
            $set[] = ['X-Nonce', $own['x-nonce']];
        }
        $names = $request->body === '' ? $this->namesWithoutBody : $this->namesWithBody;
        $lines = [];
        foreach ($names as $name) {
            $lines[] = $name === 'request-line'
                ? "$request->method {$target->text()} HTTP/1.1"
                : "$name: " . ($own[$name] ?? SignableHeaders::value($name, $request->headers, $target));
        }
        $stringToSign = implode("\n", $lines);
        $mac = hash_hmac(self::HASHES[$this->algorithm], $stringToSign, $this->appSecret->reveal(), true);
        $signature = base64_encode($mac);
        $listed = implode(' ', $names);
        $set[] = [
            'Authorization',
            "hmac appkey=\"$this->appKey\", algorithm=\"$this->algorithm\", headers=\"$listed\""
                . ", signature=\"$signature\"",
        ];
        return new SignedRequest($request, $target, $set, stringToSign: $stringToSign);
    }

    public function bodyLimit(array $headers): int
    {
        return self::MAX_BODY_BYTES;
    }

    public function redact(#[\SensitiveParameter] string $text): string
    {
        return str_replace($this->appSecret->reveal(), Secret::SHOWN, $text);
    }

    public function __debugInfo(): array
    {
        return [
            'appKey' => $this->appKey,
            'appSecret' => Secret::SHOWN,
            'algorithm' => $this->algorithm,
            'signedHeaders' => $this->signedHeaders,
            'nonce' => $this->nonce,
            'retries' => $this->retries,
        ];
    }

    /** @return list<string> what is signed, in order */
    private function names(bool $hasBody): array
    {
        return array_values(array_unique([
            'date',
            'request-line',
            ...($hasBody ? ['digest'] : []),
            ...$this->signedHeaders,
            ...($this->nonce ? ['x-nonce'] : []),
        ]));
    }
}
