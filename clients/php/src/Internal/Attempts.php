<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

use Postern\Client\Credential;
use Postern\Client\HttpMessageSignature;
use Postern\Client\Refusal;
use Postern\Client\Request;
use Postern\Client\SignedRequest;
use Postern\Client\TokenCredential;

/**
 * Decides whether a call is made again, and after how long. One for each call.
 *
 * @internal
 */
final class Attempts
{
    private const LONGEST_WAIT = 60;
    private const UNAVAILABLE = ['STORE_UNAVAILABLE', 'LIMITER_UNAVAILABLE', 'UNAVAILABLE'];

    /** The codes of a 401 whose Accept-Signature counts. */
    private const ASKING = ['CREDENTIALS_MISSING', 'CREDENTIALS_MALFORMED', 'AUTHENTICATION_FAILED'];

    private int $retried = 0;
    private bool $isClockCorrected = false;
    private bool $isTokenRenewed = false;
    private ?Request $signed = null;
    /** The Accept-Signature that is obeyed. */
    private ?string $asked = null;
    private ?SignedRequest $next = null;

    /** @param string $method of the call, in the case in which it is sent */
    public function __construct(private readonly Credential $credential, private readonly string $method)
    {
    }

    /** Signs the next attempt. */
    public function sign(Request $request): SignedRequest
    {
        $this->signed = $request;
        $next = $this->next;
        $this->next = null;
        if ($next !== null) {
            return $next;
        }
        $again = $this->asked !== null && $this->credential instanceof HttpMessageSignature
            ? $this->credential->signAgain($request, $this->asked, isLater: true)
            : null;
        return $again ?? $this->credential->sign($request);
    }

    /**
     * After a refusal.
     *
     * @param string $date the Date of the answer
     * @param Token|null $token the token that was sent
     * @param string $asked the Accept-Signature of the answer
     * @return float|null seconds to wait before the call is made again; null when the answer is the caller's
     */
    public function afterRefusal(Refusal $refusal, string $date, ?Token $token, string $asked = ''): ?float
    {
        if ($this->obeys($refusal, $asked)) {
            return 0.0;
        }
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
        if (!$this->credential instanceof TokenCredential || $this->isTokenRenewed) {
            return null;
        }
        $this->isTokenRenewed = true;
        $this->credential->dropToken($token);
        return 0.0;
    }

    /** Whether the next attempt has a signature that the gateway asked for. Once a call. */
    private function obeys(Refusal $refusal, string $asked): bool
    {
        $isAsked = $refusal->status === 401 && in_array($refusal->code, self::ASKING, true) && $this->asked === null;
        if (!$isAsked || $this->signed === null || !$this->credential instanceof HttpMessageSignature) {
            return false;
        }
        $this->next = $this->credential->signAgain($this->signed, $asked);
        $this->asked = $this->next === null ? null : $asked;
        return $this->next !== null;
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
