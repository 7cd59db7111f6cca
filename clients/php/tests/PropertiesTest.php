<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use PHPUnit\Framework\TestCase;
use Postern\Client\Hmac;
use Postern\Client\Parameters;
use Postern\Client\ParameterSignature;
use Postern\Client\Problem;
use Postern\Client\ProblemCode;
use Postern\Client\Request;

/** What holds for every request; the cases come from a generator with a fixed seed. */
final class PropertiesTest extends TestCase
{
    private const RUNS = 300;
    private const LETTERS = [
        ...['a', 'b', 'Z', '0', ' ', '+', '%', '&', '=', '/', '"', '\\', "\n", "\0", "\x7f", 'é', '東', '🚀'],
    ];
    private const JSON = [['Content-Type', 'application/json']];
    private const NOW = 1795228800;

    protected function setUp(): void
    {
        mt_srand(20261123);
    }

    public function testWrittenParametersAreReadAsTheyWere(): void
    {
        for ($run = 0; $run < self::RUNS; $run += 1) {
            $pairs = array_map(fn () => [self::text(), self::text()], range(1, mt_rand(1, 5)));
            $written = Parameters::encodePairs($pairs);
            self::assertMatchesRegularExpression('/^(?:[A-Za-z0-9._~&=-]|%[0-9A-F]{2})*\z/', $written);
            $read = array_map(
                static fn (string $pair) => array_map(urldecode(...), explode('=', $pair)),
                explode('&', $written),
            );
            self::assertSame($pairs, $read);
        }
    }

    public function testTheWrapperIsJsonWithTheTextInIt(): void
    {
        $credential = new ParameterSignature('app', 'secret', now: static fn () => self::NOW);
        for ($run = 0; $run < self::RUNS; $run += 1) {
            $data = self::text(mt_rand(1, 40)) . 'x';
            $body = $credential->sign(new Request('POST', 'https://a.example/b', self::JSON, $data))->body();
            $wrapper = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
            self::assertSame(['data', 'appKey', 'sign', 'apiTimestamp'], array_keys($wrapper));
            $signed = 'apiTimestamp=' . self::NOW . "&appKey=app&data=$data" . 'secret';
            self::assertSame([$data, hash('sha512', $signed)], [$wrapper['data'], $wrapper['sign']]);
        }
    }

    public function testAQueryIsSignedAsTheGatewayReadsIt(): void
    {
        $credential = new ParameterSignature('app', 'secret', now: static fn () => self::NOW);
        $signed = 0;
        for ($run = 0; $run < self::RUNS; $run += 1) {
            $query = Parameters::encodePairs(array_map(fn () => [self::text(), self::text()], range(1, mt_rand(1, 6))));
            try {
                $target = $credential->sign(new Request('GET', "https://a.example/b?$query"))->target();
            } catch (Problem $problem) {
                self::assertSame(ProblemCode::AmbiguousParameters, $problem->problemCode);
                continue;
            }
            self::assertStringStartsWith("/b?$query&appKey=app&apiTimestamp=" . self::NOW . '&sign=', $target);
            self::assertSame(self::signatureOf(substr($target, 3)), substr($target, -128));
            $signed += 1;
        }
        self::assertGreaterThan(self::RUNS / 4, $signed);
    }

    /** As the gateway does it: every parameter but sign, decoded, sorted by name. */
    private static function signatureOf(string $query): string
    {
        $groups = [];
        foreach (explode('&', $query) as $pair) {
            [$name, $value] = array_map(urldecode(...), explode('=', $pair, 2));
            if ($name !== 'sign') {
                $groups["n$name"][] = "$name=$value";
            }
        }
        ksort($groups, SORT_STRING);
        return hash('sha512', implode('&', array_merge(...array_values($groups))) . 'secret');
    }

    public function testEveryChangeOfARequestChangesItsHmacSignature(): void
    {
        $credential = new Hmac('app', 'secret', signedHeaders: ['host', 'x-a'], now: static fn () => self::NOW);
        for ($run = 0; $run < self::RUNS; $run += 1) {
            $parts = ['POST', 'https://a.example/' . bin2hex(random_bytes(4)), (string) mt_rand(), self::text(8) . '.'];
            $changed = $parts;
            $index = $run % 4;
            $changed[$index] .= 'x';
            self::assertNotSame(self::sign($credential, $parts), self::sign($credential, $changed), "part $index");
            self::assertSame(self::sign($credential, $parts), self::sign($credential, $parts));
        }
    }

    /** @param array{string, string, string, string} $parts */
    private static function sign(Hmac $credential, array $parts): string
    {
        [$method, $url, $header, $body] = $parts;
        $headers = $credential->sign(new Request($method, $url, [['X-A', $header]], $body))->setHeaders();
        $authorization = (string) array_column($headers, 1, 0)['Authorization'];
        self::assertSame(1, preg_match('/signature="([^"]+)"\z/', $authorization, $match));
        return $match[1];
    }

    public function testWithANonceNoTwoSignaturesAreTheSame(): void
    {
        $hmac = new Hmac('app', 'secret', nonce: true, now: static fn () => self::NOW);
        $parameters = new ParameterSignature('app', 'secret', nonce: true, now: static fn () => self::NOW);
        $get = new Request('GET', 'https://a.example/b?c=1');
        $json = new Request('POST', 'https://a.example/b', self::JSON, '{}');
        $made = [];
        for ($run = 0; $run < 60; $run += 1) {
            $made[] = self::sign($hmac, ['GET', 'https://a.example/b', '', '']);
            $made[] = substr($parameters->sign($get)->target(), -128);
            $made[] = json_decode($parameters->sign($json)->body(), true)['sign'];
        }
        self::assertCount(180, array_unique($made));
    }

    public function testTheTimeOfAWrapperMovesOnOnlyForTheSameSignature(): void
    {
        $now = self::NOW;
        $credential = new ParameterSignature('app', 'secret', nonce: true, now: static function () use (&$now) {
            return $now;
        });
        $timeOf = static function (string $data) use ($credential): int {
            $signed = $credential->sign(new Request('POST', 'https://a.example/b', self::JSON, $data));
            return json_decode($signed->body(), true)['apiTimestamp'];
        };
        $times = array_map($timeOf, ['{}', '{}', '[]', '{}']);
        self::assertSame([$now, $now + 1, $now, $now + 2], $times);
        $now += 2;
        self::assertSame([$now + 1, $now], array_map($timeOf, ['{}', '[]']));
        $now += 10;
        self::assertSame($now, $timeOf('{}'));
    }

    private static function text(?int $length = null): string
    {
        $text = '';
        for ($left = $length ?? mt_rand(0, 6); $left > 0; $left -= 1) {
            $text .= self::LETTERS[mt_rand(0, count(self::LETTERS) - 1)];
        }
        return $text;
    }
}
