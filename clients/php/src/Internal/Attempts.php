<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

use Postern\Client\Credential;
use Postern\Client\OAuth2;
use Postern\Client\Refusal;

/**
 * Decides whether a call is made again, and after how long. One for each call.
 *
 * @internal
 */
final class Attempts
{
    private const LONGEST_WAIT = 60;
    private const UNAVAILABLE = ['STORE_UNAVAILABLE', 'LIMITER_UNAVAILABLE', 'UNAVAILABLE'];

    private int $retried = 0;
    private bool $isClockCorrected = false;
    private bool $isTokenRenewed = false;

    /** @param string $method of the call, in the case in which it is sent */
    public function __construct(private readonly Credential $credential, private readonly string $method)
    {
    }

    /**
     * After a refusal.
     *
     * @param string $date the Date of the answer
     * @param Token|null $token the token that was sent
     * @return float|null seconds to wait before the call is made again; null when the answer is the caller's
     */
    public function afterRefusal(Refusal $refusal, string $date, ?Token $token): ?float
    {
        return match ("$refusal->status $refusal->code") {
            '401 TOKEN_INVALID' => $this->renewToken($token),
            '401 REQUEST_EXPIRED' => $this->correctClock($date),
            '401 REQUEST_REPLAYED' => Sending::isRepeatable($this->method) ? $this->count(1) : null,
            '429 RATE_LIMITED' => $refusal->retryAfter === null ? null : $this->count($refusal->retryAfter),
            default => $refusal->status === 503 && in_array($refusal->code, self::UNAVAILABLE, true)
                ? $this->count($refusal->retryAfter ?? 2 ** $this->retried, byChance: true)
                : null,
        };
    }

    /**
     * When no answer came.
     *
     * @return float|null seconds to wait before the call is made again; null when it is not
     */
    public function afterNoAnswer(): ?float
    {
        return Sending::isRepeatable($this->method) ? $this->count(2 ** $this->retried, byChance: true) : null;
    }

    private function count(int $seconds, bool $byChance = false): ?float
    {
        if ($this->retried >= $this->credential->retries || $seconds > self::LONGEST_WAIT) {
            return null;
        }
        $this->retried += 1;
        // At least a second, because two signatures of the same second are the same.
        $wait = max(1, $seconds);
        return $byChance ? $wait * (1 + mt_rand() / mt_getrandmax() / 5) : (float) $wait;
    }

    private function renewToken(?Token $token): ?float
    {
        if (!$this->credential instanceof OAuth2 || $this->isTokenRenewed) {
            return null;
        }
        $this->isTokenRenewed = true;
        $this->credential->dropToken($token);
        return 0.0;
    }

    private function correctClock(string $date): ?float
    {
        if ($this->isClockCorrected || !$this->credential->clock()->correctBy($date)) {
            return null;
        }
        $this->isClockCorrected = true;
        return 0.0;
    }
}
