<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use GuzzleHttp\Client;
use GuzzleHttp\Psr7\HttpFactory;
use GuzzleHttp\Psr7\Request as PsrRequest;
use GuzzleHttp\Psr7\Response;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Postern\Client\Credential;
use Postern\Client\Guzzle\Middleware;
use Postern\Client\HttpMessageSignature;
use Postern\Client\Internal\Base64Url;
use Postern\Client\Internal\EcdsaSignature;
use Postern\Client\PrivateKey;
use Postern\Client\PrivateKeyJwt;
use Postern\Client\Problem;
use Postern\Client\Psr18Client;
use Postern\Client\Request;
use Postern\Client\TokenRefused;

/** Private keys beyond the vectors: signers, what a 401 asks for, and clocks of assertions. */
final class PrivateKeyTest extends TestCase
{
    private const URL = 'https://api.example.com/orders';
    private const ASKED = 'sig1=("@method" "@authority" "@path" "@query" "x-tenant");created;nonce="theirs";tag="app"';

    private static function key(string $name = 'ed25519'): PrivateKey
    {
        $text = (string) file_get_contents(__DIR__ . '/../../public-key-vectors.json');
        return PrivateKey::fromPem(json_decode($text, true)['keys'][$name]['pem']);
    }

    /** @return array<string, array{\Closure(Credential, Gateway): callable}> */
    public static function adapters(): array
    {
        return [
            'guzzle' => [static fn (Credential $credential, Gateway $gateway) => new Client(
                ['handler' => Middleware::stack($credential, $gateway), 'http_errors' => false],
            )],
            'psr-18' => [static fn (Credential $credential, Gateway $gateway) => new Psr18Client(
                $gateway,
                $credential,
                new HttpFactory(),
                static function (): void {
                },
            )],
        ];
    }

    /** @dataProvider adapters */
    #[DataProvider('adapters')]
    public function testSignsAnewOnceWithWhatIsAskedForAndLaterWithANonceOfItsOwn(\Closure $make): void
    {
        $refused = static fn () => Gateway::refusal(401, 'CREDENTIALS_MALFORMED', ['Accept-Signature' => self::ASKED]);
        $gateway = new Gateway($refused(), Gateway::refusal(503, 'UNAVAILABLE'), $refused());
        $nonces = ['first', 'second'];
        $credential = new HttpMessageSignature('app', self::key(), nonces: static function () use (&$nonces): string {
            return (string) array_shift($nonces);
        });
        $response = $make($credential, $gateway)->sendRequest(new PsrRequest('GET', self::URL, ['X-Tenant' => 'blue']));
        self::assertSame(401, $response->getStatusCode(), 'asked for twice is obeyed once');
        $inputs = $gateway->header('Signature-Input');
        self::assertStringContainsString(';nonce="first"', $inputs[0]);
        self::assertStringNotContainsString('x-tenant', $inputs[0]);
        foreach (['theirs', 'second'] as $index => $nonce) {
            self::assertMatchesRegularExpression(
                "/^sig1=\\(.*\"@query\" \"x-tenant\"\\);created=\\d+;keyid=\"app\";nonce=\"$nonce\";tag=\"app\"\\z/",
                $inputs[$index + 1],
            );
        }
    }

    /** @return array<string, array{int, string, string}> */
    public static function others(): array
    {
        return [
            'another code' => [401, 'REQUEST_REPLAYED', self::ASKED],
            'another status' => [403, 'AUTHENTICATION_FAILED', self::ASKED],
            'nothing asked for' => [401, 'AUTHENTICATION_FAILED', ''],
            'nothing more' => [401, 'AUTHENTICATION_FAILED', 'sig1=("@method");created;nonce="n"'],
            'no such header' => [401, 'AUTHENTICATION_FAILED', 'sig1=("x-other");created'],
        ];
    }

    /** @dataProvider others */
    #[DataProvider('others')]
    public function testIsNotSignedAnewAfterOtherRefusals(int $status, string $code, string $asked): void
    {
        $gateway = new Gateway(Gateway::refusal($status, $code, ['Accept-Signature' => $asked]));
        $stack = Middleware::stack(new HttpMessageSignature('app', self::key()), $gateway);
        $client = new Client(['handler' => $stack, 'http_errors' => false]);
        $response = $client->post(self::URL, ['headers' => ['X-Tenant' => 'blue']]);
        self::assertSame($status, $response->getStatusCode());
    }

    public function testTheCauseOfASignerIsThatOfTheProblem(): void
    {
        $cause = new \RuntimeException('the device is away');
        $key = PrivateKey::fromSigner(static fn () => throw $cause);
        foreach (
            [
                static fn () => (new HttpMessageSignature('app', $key, 'ed25519'))->sign(new Request('GET', self::URL)),
                static fn () => (new PrivateKeyJwt('app', $key, self::URL, 'EdDSA'))->assertion(),
            ] as $sign
        ) {
            try {
                $sign();
                self::fail('it was signed');
            } catch (Problem $problem) {
                self::assertSame('SIGNER_FAILED', $problem->problemCode->value);
                self::assertSame($cause, $problem->getPrevious());
            }
        }
    }

    public function testASignerThatFailsRejectsAlsoTheQuestionForAToken(): void
    {
        $key = PrivateKey::fromSigner(static fn () => 'too short');
        $credential = new PrivateKeyJwt('app', $key, 'https://api.example.com/oauth2/token', 'ES256');
        $promise = (new Client(['handler' => Middleware::stack($credential, new Gateway())]))->getAsync(self::URL);
        $this->expectException(Problem::class);
        $this->expectExceptionMessage('no signature of ES256');
        $promise->wait();
    }

    public function testASignerOfAnRsaKeyMayGiveItsLength(): void
    {
        foreach ([255 => false, 256 => true, 1024 => true, 1025 => false] as $length => $isTaken) {
            $key = PrivateKey::fromSigner(static fn () => str_repeat('x', $length));
            $credential = new HttpMessageSignature('app', $key, 'rsa-pss-sha512');
            try {
                $credential->sign(new Request('GET', self::URL));
                self::assertTrue($isTaken, "$length");
            } catch (Problem) {
                self::assertFalse($isTaken, "$length");
            }
        }
    }

    public function testDerBecomesNumbersOfEqualLength(): void
    {
        $half = static fn (string $end) => str_pad($end, 32, "\0", \STR_PAD_LEFT);
        $read = static fn (string $hex) => EcdsaSignature::fromDer((string) hex2bin($hex), 32);
        self::assertSame($half("\1") . $half("\x80"), $read('300702010102020080'));
        $tooLong = '30260221' . str_repeat('01', 33) . '020101';
        foreach (['', '30', '3003020101', '300602010102010100', '3006020101020201', $tooLong] as $hex) {
            self::assertNull($read($hex), $hex);
        }
    }

    /** @return array<string, array{int, int, int}> */
    public static function differences(): array
    {
        return [
            'a wrong clock' => [600, 4000, 2],
            'a clock that is right enough' => [600, 29, 1],
            'a clock that is too wrong' => [600, 601, 1],
            'no correction' => [0, 300, 1],
            'as much as allowed' => [600, 600, 2],
            'thirty seconds' => [600, 30, 2],
        ];
    }

    /** @dataProvider differences */
    #[DataProvider('differences')]
    public function testARefusedAssertionCorrectsTheClockOnce(int $bound, int $seconds, int $questions): void
    {
        $bound = $seconds === 4000 ? 7200 : $bound;
        $now = 1_795_228_800;
        $date = gmdate('D, d M Y H:i:s', $now + $seconds) . ' GMT';
        $refused = static fn () => new Response(401, ['Date' => $date], '{"error":"invalid_client"}');
        $gateway = new Gateway(...array_map($refused, range(1, $questions)));
        $url = 'https://api.example.com/oauth2/token';
        $credential = new PrivateKeyJwt('a', self::key(), $url, clockCorrection: $bound, now: static fn () => $now);
        try {
            (new Client(['handler' => Middleware::stack($credential, $gateway)]))->get(self::URL);
            self::fail('there was a token');
        } catch (TokenRefused $refused) {
            self::assertSame('invalid_client', $refused->error);
        }
        self::assertCount($questions, $gateway->requests);
        parse_str((string) end($gateway->requests)->getBody(), $form);
        self::assertSame(['grant_type', 'client_id', 'client_assertion_type', 'client_assertion'], array_keys($form));
        $claims = json_decode((string) Base64Url::decode(explode('.', $form['client_assertion'])[1]), true);
        self::assertSame($now + ($questions === 2 ? $seconds : 0), $claims['iat']);
        self::assertFalse(end($gateway->requests)->hasHeader('Authorization'));
    }
}
