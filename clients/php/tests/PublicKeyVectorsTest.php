<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Postern\Client\HttpMessageSignature;
use Postern\Client\Internal\Base64Url;
use Postern\Client\Internal\Der;
use Postern\Client\PrivateKeyJwt;
use Postern\Client\Problem;
use Postern\Client\Request;
use Postern\Client\SignedRequest;

/** Every case of clients/public-key-vectors.json. */
final class PublicKeyVectorsTest extends TestCase
{
    /** @return array<string, mixed> */
    private static function file(): array
    {
        $text = (string) file_get_contents(__DIR__ . '/../../public-key-vectors.json');
        return json_decode($text, true, flags: JSON_THROW_ON_ERROR);
    }

    /** @return iterable<string, array{array<string, mixed>}> */
    public static function cases(): iterable
    {
        ['format' => $format, 'keys' => $keys, 'cases' => $cases] = self::file();
        self::assertSame(1, $format);
        self::assertGreaterThan(50, count($cases));
        foreach ($cases as $case) {
            $named = $case['client']['privateKey'];
            if (isset($named['key'])) {
                $case['client']['privateKey'] = [$named['as'] => $keys[$named['key']][$named['as']]];
            }
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
        if (isset($case['problem'])) {
            $this->expectExceptionObject(new ExpectedProblem($case['problem']));
        }
        try {
            $this->check($case);
        } catch (Problem $problem) {
            throw isset($case['problem']) ? new ExpectedProblem($problem->problemCode->value) : $problem;
        }
    }

    /** @param array<string, mixed> $case */
    private function check(array $case): void
    {
        $nonces = isset($case['nonce']) ? [$case['nonce']] : [];
        $credential = Credentials::of($case['client'], $case['now'] ?? null, $nonces);
        if ($credential instanceof PrivateKeyJwt) {
            $this->assertAssertion($case['assertion'], $credential->assertion());
            return;
        }
        self::assertInstanceOf(HttpMessageSignature::class, $credential);
        ['method' => $method, 'url' => $url, 'headers' => $headers] = $case['request'];
        $request = new Request($method, $url, $headers, Credentials::body($case['request']));
        $signed = isset($case['acceptSignature'])
            ? $credential->signAgain($request, $case['acceptSignature'])
            : $credential->sign($request);
        if ($case['signed'] === null) {
            self::assertNull($signed);
            return;
        }
        self::assertNotNull($signed);
        $this->assertSigned($case, $signed);
    }

    /** @param array<string, mixed> $case */
    private function assertSigned(array $case, SignedRequest $signed): void
    {
        self::assertSame($case['stringToSign'], $signed->stringToSign());
        self::assertSame($case['signed']['target'], $signed->target());
        $set = array_column($signed->setHeaders(), 1, 0);
        ['label' => $label, 'algorithm' => $algorithm, 'key' => $key] = $case['signature'];
        $pattern = '/^' . preg_quote($label, '/') . '=:([A-Za-z0-9+\/]+=*):\z/';
        self::assertSame(1, preg_match($pattern, $set['Signature'], $parts));
        self::assertVerifies($algorithm, $key, $case['stringToSign'], (string) base64_decode($parts[1], true));
        $expected = array_column($case['signed']['headers'], 1, 0);
        self::assertEquals($expected + ['Signature' => $set['Signature']], $set);
    }

    /** @param array<string, mixed> $expected */
    private function assertAssertion(array $expected, string $jwt): void
    {
        [$header, $claims, $signature] = array_map(Base64Url::decode(...), explode('.', $jwt));
        self::assertSame([$expected['header'], $expected['claims']], [$header, $claims]);
        self::assertVerifies($expected['algorithm'], $expected['key'], $expected['signingInput'], (string) $signature);
        if (isset($expected['jwt'])) {
            self::assertSame($expected['jwt'], $jwt);
        }
    }

    /** By sodium, or by OpenSSL's own command. */
    private static function assertVerifies(string $algorithm, string $key, string $text, string $signature): void
    {
        $public = self::file()['keys'][$key]['publicPem'];
        if (in_array($algorithm, ['ed25519', 'EdDSA'], true)) {
            $raw = Base64Url::decode(self::file()['keys'][$key]['publicJwk']['x']);
            self::assertTrue(sodium_crypto_sign_verify_detached($signature, $text, (string) $raw));
            return;
        }
        $folder = sys_get_temp_dir() . '/postern-' . bin2hex(random_bytes(8));
        mkdir($folder);
        try {
            $files = ['public' => $public, 'text' => $text, 'signature' => self::toDer($algorithm, $signature)];
            foreach ($files as $name => $content) {
                file_put_contents("$folder/$name", $content);
            }
            $hash = preg_match('/(256|384|512)\z/', $algorithm, $parts) === 1 ? "-sha$parts[1]" : '';
            $pss = preg_match('/^(PS|rsa-pss)/', $algorithm) === 1
                ? '-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest'
                : '';
            exec("openssl dgst $hash $pss -verify $folder/public -signature $folder/signature $folder/text", $output);
            self::assertSame(['Verified OK'], $output);
        } finally {
            array_map('unlink', glob("$folder/*") ?: []);
            rmdir($folder);
        }
    }

    private static function toDer(string $algorithm, string $signature): string
    {
        if (preg_match('/^(ES|ecdsa)/', $algorithm) !== 1) {
            return $signature;
        }
        $half = intdiv(strlen($signature), 2);
        $numbers = array_map(Der::number(...), str_split($signature, $half));
        return Der::write(Der::SEQUENCE, implode('', $numbers));
    }
}
