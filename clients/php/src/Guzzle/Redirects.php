<?php

declare(strict_types=1);

namespace Postern\Client\Guzzle;

use GuzzleHttp\Psr7\Uri;
use GuzzleHttp\Psr7\UriComparator;
use GuzzleHttp\Psr7\UriResolver;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;

/**
 * Which redirected requests are signed: those that a signed answer sent to another path of its own origin.
 *
 * Guzzle's redirect middleware makes a request of its own and does not say where it comes from. So the targets that may
 * be signed are remembered until they are asked for; everything else goes without credentials.
 *
 * @internal
 */
final class Redirects
{
    private const MAX_REMEMBERED = 1000;

    /** @var array<string, int> how often each target may be signed */
    private array $targets = [];

    /** @param array<string, mixed> $options */
    public function maySign(RequestInterface $request, array $options): bool
    {
        if (empty($options['__redirect_count'])) {
            return true;
        }
        $uri = (string) $request->getUri();
        $count = $this->targets[$uri] ?? 0;
        unset($this->targets[$uri]);
        if ($count > 1) {
            $this->targets[$uri] = $count - 1;
        }
        return $count > 0;
    }

    /** Takes note of the answer to a signed request. */
    public function remember(RequestInterface $request, ResponseInterface $response): void
    {
        if (intdiv($response->getStatusCode(), 100) !== 3 || !$response->hasHeader('Location')) {
            return;
        }
        try {
            $target = UriResolver::resolve($request->getUri(), new Uri($response->getHeaderLine('Location')));
        } catch (\InvalidArgumentException) {
            return;
        }
        if (UriComparator::isCrossOrigin($request->getUri(), $target)) {
            return;
        }
        $uri = (string) $target;
        $this->targets[$uri] = ($this->targets[$uri] ?? 0) + 1;
        // Of redirects that were not followed.
        $this->targets = array_slice($this->targets, -self::MAX_REMEMBERED, preserve_keys: true);
    }
}
