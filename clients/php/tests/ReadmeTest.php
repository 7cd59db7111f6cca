<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use PHPUnit\Framework\TestCase;
use Postern\Client\Hmac;
use Postern\Client\HttpMessageSignature;
use Postern\Client\OAuth2;
use Postern\Client\ParameterSignature;
use Postern\Client\Parameters;
use Postern\Client\ProblemCode;

/** What the README shows is there, and does what it says. */
final class ReadmeTest extends TestCase
{
    private static function text(): string
    {
        return (string) file_get_contents(__DIR__ . '/../README.md');
    }

    /** @return list<string> blocks of PHP */
    private static function blocks(): array
    {
        preg_match_all('/^```php\n(.*?)^```$/ms', self::text(), $matches);
        return $matches[1];
    }

    public function testTheFirstExampleHasAtMostTenLinesOfCode(): void
    {
        $lines = array_filter(explode("\n", self::blocks()[0]), static fn (string $line) => trim($line) !== '');
        self::assertLessThanOrEqual(10, count($lines));
        self::assertStringContainsString('POSTERN_URL', self::blocks()[0]);
    }

    public function testEveryBlockCanBeReadByPhp(): void
    {
        self::assertGreaterThan(6, count(self::blocks()));
        foreach (self::blocks() as $block) {
            $code = str_starts_with($block, '<?php') ? $block : "<?php\n$block";
            self::assertNotEmpty(token_get_all($code, TOKEN_PARSE));
        }
    }

    public function testEveryClassThatIsNamedExists(): void
    {
        preg_match_all('/Postern\\\\Client\\\\[A-Za-z0-9\\\\]+/', self::text(), $matches);
        self::assertGreaterThan(6, count($matches[0]));
        foreach (array_filter($matches[0], static fn (string $name) => !str_ends_with($name, '\\')) as $name) {
            self::assertTrue(class_exists($name), $name);
        }
    }

    public function testTheHelperWritesWhatIsShown(): void
    {
        $written = Parameters::encode(['to' => 'Köln 1', 'size' => 2, 'tag' => ['a', 'b']]);
        self::assertStringContainsString("// $written\n", self::text());
    }

    public function testEveryProblemIsListed(): void
    {
        foreach (ProblemCode::cases() as $code) {
            self::assertStringContainsString("| `$code->value` |", self::text());
        }
    }

    public function testEverySettingHasTheDefaultThatIsListed(): void
    {
        preg_match_all('/^\| `(\w+)` \| ([^|]+) \| `([^`]+)` \|/m', self::text(), $rows, PREG_SET_ORDER);
        self::assertGreaterThan(5, count($rows));
        foreach ($rows as [, $setting, $of, $default]) {
            $class = match (trim($of)) {
                '`ParameterSignature`' => ParameterSignature::class,
                '`Key`' => \Postern\Client\Key::class,
                '`HttpMessageSignature`' => HttpMessageSignature::class,
                'all' => OAuth2::class,
                default => Hmac::class,
            };
            $parameter = new \ReflectionParameter([$class, '__construct'], $setting);
            self::assertSame(json_decode(strtr($default, "'", '"')), $parameter->getDefaultValue(), $setting);
        }
    }
}
