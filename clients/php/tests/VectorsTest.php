<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Postern\Client\Parameters;
use Postern\Client\Problem;
use Postern\Client\Request;

/** Every case of clients/vectors.json. */
final class VectorsTest extends TestCase
{
    /** @return iterable<string, array{array<string, mixed>}> */
    public static function cases(): iterable
    {
        $text = (string) file_get_contents(__DIR__ . '/../../vectors.json');
        $vectors = json_decode($text, true, flags: JSON_THROW_ON_ERROR);
        self::assertSame(1, $vectors['format']);
        self::assertGreaterThanOrEqual(300, count($vectors['cases']));
        foreach ($vectors['cases'] as $case) {
            yield $case['name'] => [$case];
        }
    }

    /**
     * @dataProvider cases
     * @param array<string, mixed> $case
     */
    #[DataProvider('cases')]
    public function testVector(array $case): void
    {
        if (isset($case['parameters'])) {
            self::assertSame($case['encoded'], Parameters::encodePairs($case['parameters']));
            return;
        }
        $credential = Credentials::of($case['client'], $case['now'], [$case['nonce'] ?? 'no nonce']);
        ['method' => $method, 'url' => $url, 'headers' => $headers] = $case['request'];
        $request = new Request($method, $url, $headers, Credentials::body($case['request']));
        if (isset($case['problem'])) {
            $this->expectExceptionObject(new ExpectedProblem($case['problem']));
            try {
                $credential->sign($request);
            } catch (Problem $problem) {
                throw new ExpectedProblem($problem->problemCode->value);
            }
        }
        $signed = $credential->sign($request);
        self::assertSame($case['signed']['target'], $signed->target());
        self::assertSame(self::sorted($case['signed']['headers']), self::sorted($signed->setHeaders()));
        $this->assertOthersStay($headers, $signed->setHeaders(), $signed->headers());
        $this->assertBody($case['signed']['body'] ?? null, $request->body, $signed->body());
        if (isset($case['stringToSign'])) {
            self::assertSame($case['stringToSign'], $signed->stringToSign());
        }
    }

    /** @param array<string, mixed>|null $expected */
    private function assertBody(?array $expected, string $unsigned, string $body): void
    {
        if (isset($expected['sha256'])) {
            self::assertSame([$expected['sha256'], $expected['length']], [hash('sha256', $body), strlen($body)]);
            return;
        }
        $text = $expected === null ? $unsigned : Credentials::body(['body' => $expected]);
        self::assertTrue($text === $body, "expected the body $text");
    }

    /**
     * @param list<array{string, string}> $given
     * @param list<array{string, string}> $set
     * @param list<array{string, string}> $all
     */
    private function assertOthersStay(array $given, array $set, array $all): void
    {
        $names = array_column(self::sorted($set), 0);
        $others = array_filter(self::sorted($given), static fn (array $header) => !in_array($header[0], $names, true));
        self::assertSame(self::sorted([...$others, ...$set]), self::sorted($all));
    }

    /**
     * @param list<array{string, string}> $headers
     * @return list<array{string, string}> with names in lower case
     */
    private static function sorted(array $headers): array
    {
        $lower = array_map(static fn (array $header) => [strtolower($header[0]), $header[1]], $headers);
        sort($lower);
        return $lower;
    }
}
