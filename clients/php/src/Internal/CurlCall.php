<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

use Postern\Client\ConnectionFailed;
use Postern\Client\Credential;
use Postern\Client\Response;
use Postern\Client\SignedRequest;

/**
 * Sends signed requests with the curl extension, over a connection that is kept.
 *
 * @internal
 */
final class CurlCall
{
    use Opaque;

    private readonly \CurlHandle $handle;

    /** @param array<int, mixed> $options of curl; those that say what is sent are the client's own */
    public function __construct(private readonly array $options)
    {
        $this->handle = curl_init();
    }

    /** @throws ConnectionFailed when no whole answer came */
    public function send(SignedRequest $request, Credential $credential): Response
    {
        $headers = [];
        curl_reset($this->handle);
        curl_setopt_array($this->handle, self::optionsOf($request) + $this->options + [\CURLOPT_CONNECTTIMEOUT => 30]);
        $readHeader = static function (\CurlHandle $handle, string $line) use (&$headers): int {
            $headers = self::add($headers, $line);
            return strlen($line);
        };
        curl_setopt($this->handle, \CURLOPT_HEADERFUNCTION, $readHeader);
        $body = curl_exec($this->handle);
        if (!is_string($body)) {
            $message = $credential->redact(curl_error($this->handle));
            throw ConnectionFailed::of("No answer came: $message", curl_errno($this->handle));
        }
        $isHttp2 = curl_getinfo($this->handle, \CURLINFO_HTTP_VERSION) === \CURL_HTTP_VERSION_2_0;
        $status = curl_getinfo($this->handle, \CURLINFO_RESPONSE_CODE);
        return new Response($status, $isHttp2 ? '2' : '1.1', $headers, $body);
    }

    /** @return array<int, mixed> */
    private static function optionsOf(SignedRequest $request): array
    {
        $lines = [];
        foreach ($request->headers() as [$name, $value]) {
            // Curl leaves out a header without a value unless it ends in a semicolon.
            $lines[] = trim($value) === '' ? "$name;" : "$name: $value";
        }
        $given = array_map(static fn (array $header) => strtolower($header[0]), $request->headers());
        // What curl would add by itself.
        foreach (['Expect', 'Content-Type'] as $name) {
            if (!in_array(strtolower($name), $given, true)) {
                $lines[] = "$name:";
            }
        }
        $options = [
            \CURLOPT_URL => $request->url(),
            \CURLOPT_CUSTOMREQUEST => $request->method(),
            \CURLOPT_HTTPHEADER => $lines,
            \CURLOPT_RETURNTRANSFER => true,
            \CURLOPT_PROTOCOLS => \CURLPROTO_HTTP | \CURLPROTO_HTTPS,
        ] + Sending::curlOptions($request->method());
        return match (true) {
            $request->method() === 'HEAD' && $request->body() === '' => $options + [\CURLOPT_NOBODY => true],
            // With a length of 0, which servers ask for.
            $request->body() !== '' || in_array($request->method(), ['POST', 'PUT', 'PATCH'], true)
                => $options + [\CURLOPT_POSTFIELDS => $request->body()],
            default => $options,
        };
    }

    /**
     * @param list<array{string, string}> $headers
     * @return list<array{string, string}> of the last answer only, as answers such as "100 Continue" come before it
     */
    private static function add(array $headers, string $line): array
    {
        if (str_starts_with($line, 'HTTP/')) {
            return [];
        }
        [$name, $value] = explode(':', rtrim($line, "\r\n"), 2) + [1 => null];
        return $value === null ? $headers : [...$headers, [$name, trim($value)]];
    }
}
