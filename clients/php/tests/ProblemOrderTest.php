<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Postern\Client\Credential;
use Postern\Client\Hmac;
use Postern\Client\HttpMessageSignature;
use Postern\Client\ParameterSignature;
use Postern\Client\PrivateKey;
use Postern\Client\Problem;
use Postern\Client\Request;

/** When several problems hold, the first of the contract's order counts. */
final class ProblemOrderTest extends TestCase
{
    private const FORM = ['Content-Type', 'application/x-www-form-urlencoded'];
    private const JSON = ['Content-Type', 'application/json'];
    private const LATIN1 = ['Content-Type', 'application/json; charset=latin1'];

    /** @return array<string, array{string, Credential, string, list<array{string, string}>, string}> */
    public static function requests(): array
    {
        $parameters = new ParameterSignature('app', 'secret');
        $hmac = new Hmac('app', 'secret', signedHeaders: ['x-absent']);
        $fails = PrivateKey::fromSigner(static fn () => throw new \RuntimeException('the device is away'));
        $message = new HttpMessageSignature('app', $fails, 'ed25519', coverAlso: ['x-absent']);
        $failing = new HttpMessageSignature('app', $fails, 'ed25519');
        $many = implode('&', array_fill(0, 101, 'a=1'));
        $large = str_repeat('x', 10_485_761);
        $nearlyLarge = '%' . substr($large, 100);
        $url = 'https://api.example.com/a';
        return [
            'target before body' => ['TARGET_NOT_SIGNABLE', $hmac, "$url b", [], $large],
            'target before header' => ['TARGET_NOT_SIGNABLE', $hmac, '/a', [], ''],
            'target beyond ASCII' => ['TARGET_NOT_SIGNABLE', $hmac, "$url/é", [], ''],
            'size before header' => ['BODY_TOO_LARGE', $hmac, $url, [], $large],
            'size before media type' => ['BODY_TOO_LARGE', $parameters, $url, [self::LATIN1], $large],
            'signed size before encoding' => ['BODY_TOO_LARGE', $parameters, $url, [self::FORM], $nearlyLarge],
            'media type before query' => ['BODY_NOT_SIGNABLE', $parameters, "$url?a", [self::LATIN1], '{}'],
            'bytes before query' => ['BODY_NOT_SIGNABLE', $parameters, "$url?a", [self::JSON], "\xff"],
            'two media types' => ['BODY_NOT_SIGNABLE', $parameters, $url, [self::JSON, self::JSON], '{}'],
            'query before encoding' => ['QUERY_NOT_SIGNABLE', $parameters, "$url?a", [self::FORM], 'sign=%'],
            'encoding before name' => ['MALFORMED_PARAMETERS', $parameters, $url, [self::FORM], 'sign=1&b=%'],
            'name before ambiguity' => ['RESERVED_PARAMETER', $parameters, "$url?a%26=1&sign=1", [], ''],
            'ambiguity before count' => ['AMBIGUOUS_PARAMETERS', $parameters, "$url?$many&a%26=1", [], ''],
            'count' => ['TOO_MANY_PARAMETERS', $parameters, "$url?$many", [], ''],
            'authority before body' => ['TARGET_NOT_SIGNABLE', $message, 'https://127.1/a', [], $large],
            'size before a covered header' => ['BODY_TOO_LARGE', $message, $url, [], $large],
            'header before signer' => ['HEADER_NOT_SIGNABLE', $message, $url, [], ''],
            'signer' => ['SIGNER_FAILED', $failing, $url, [], ''],
            'header' => ['HEADER_NOT_SIGNABLE', $hmac, $url, [], ''],
        ];
    }

    /**
     * @dataProvider requests
     * @param list<array{string, string}> $headers
     */
    #[DataProvider('requests')]
    public function testOrder(string $code, Credential $credential, string $url, array $headers, string $body): void
    {
        try {
            $credential->sign(new Request('POST', $url, $headers, $body));
            self::fail('no problem was seen');
        } catch (Problem $problem) {
            self::assertSame($code, $problem->problemCode->value, $problem->getMessage());
        }
    }

    public function testARequestThatWouldBeMoreThanOneLineCannotBeMade(): void
    {
        foreach ([['GET / X', []], ['GET', [['X-A', "a\r\nX-B: b"]]], ['GET', [['X A', 'a']]]] as [$method, $headers]) {
            try {
                new Request($method, 'https://api.example.com/', $headers);
                self::fail('it was made');
            } catch (\InvalidArgumentException $refused) {
                self::assertStringContainsString('not valid in HTTP', $refused->getMessage());
            }
        }
    }
}
