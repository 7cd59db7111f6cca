<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\Clock;
use Postern\Client\Internal\Opaque;
use Postern\Client\Internal\Settings;

/**
 * A partner's credential for one method: {@see Key}, {@see Hmac}, {@see ParameterSignature},
 * {@see HttpMessageSignature}, {@see OAuth2} or {@see PrivateKeyJwt}.
 *
 * Make one and keep it: it remembers its token, the correction of the clock and the signatures of the last seconds.
 */
abstract class Credential
{
    use Opaque;

    private readonly Clock $clock;

    /**
     * @param int $retries how often a refused call is made again, besides the first time
     * @param int $clockCorrection the largest correction of the clock in seconds; 0 for none
     * @param (\Closure(): (int|float))|null $now Unix time in seconds; null for the machine's clock
     */
    protected function __construct(public readonly int $retries, int $clockCorrection, ?\Closure $now)
    {
        Settings::require($retries >= 0, 'The number of retries is below 0.');
        Settings::require($clockCorrection >= 0, 'The clock correction is below 0 seconds.');
        $this->clock = new Clock($clockCorrection, $now);
    }

    /**
     * Signs a request as of now. Each call gives a signature of its own, where the method allows it.
     *
     * @throws Problem when the request cannot be signed
     */
    abstract public function sign(Request $request): SignedRequest;

    /**
     * How many bytes of a body with these headers are read before it is sent; null when the body is not looked at.
     *
     * @internal for adapters
     * @param list<array{string, string}> $headers
     */
    public function bodyLimit(array $headers): ?int
    {
        return null;
    }

    /** @internal */
    public function clock(): Clock
    {
        return $this->clock;
    }

    /** @internal takes the secrets of this credential out of a text, such as the message of a library */
    abstract public function redact(#[\SensitiveParameter] string $text): string;

    /** @return array<string, mixed> */
    abstract public function __debugInfo(): array;
}
