<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Postern\Client\Credential;
use Postern\Client\Hmac;
use Postern\Client\Key;
use Postern\Client\OAuth2;
use Postern\Client\ParameterSignature;
use Postern\Client\Problem;
use Postern\Client\ProblemCode;

/** What a credential may be made of. */
final class SettingsTest extends TestCase
{
    /** @return array<string, array{\Closure(): Credential, string}> */
    public static function mistakes(): array
    {
        $url = 'https://api.example.com/token';
        return [
            'an empty App Key' => [static fn () => new Key(''), 'The App Key'],
            'an App Key of 513 characters' => [static fn () => new Key(str_repeat('a', 513)), 'The App Key'],
            'an App Key with a slash' => [static fn () => new Hmac('a/b', 's'), 'The App Key'],
            'an App Key with a line feed at its end' => [static fn () => new Hmac("a\n", 's'), 'The App Key'],
            'an empty App Secret' => [static fn () => new Hmac('a', ''), 'The App Secret is empty'],
            'a blank before the App Secret' => [static fn () => new Hmac('a', ' s'), 'white space'],
            'a no-break space after it' => [static fn () => new Hmac('a', "s\u{a0}"), 'white space'],
            'a tab inside' => [static fn () => new ParameterSignature('a', "s\ts"), 'control characters'],
            'a line feed at the end' => [static fn () => new ParameterSignature('a', "s\n"), 'control characters'],
            'an App Secret in Latin-1' => [static fn () => new OAuth2('a', "s\xe9", $url), 'not UTF-8'],
            'an algorithm that is not offered' => [static fn () => new Hmac('a', 's', 'hmac-sha1'), 'The algorithm'],
            'an encoding that is not offered' => [static fn () => new ParameterSignature('a', 's', 'auto'), 'encoding'],
            'a header with a colon' => [static fn () => new Key('a', header: 'X:Y'), 'name of the header'],
            'an empty query parameter' => [static fn () => new Key('a', query: ''), 'name of the query parameter'],
            'retries below 0' => [static fn () => new Key('a', retries: -1), 'number of retries'],
            'a correction below 0' => [static fn () => new Hmac('a', 's', clockCorrection: -1), 'clock correction'],
            'a relative token URL' => [static fn () => new OAuth2('a', 's', '/oauth2/token'), 'The token URL'],
            'a token URL of another scheme' => [static fn () => new OAuth2('a', 's', 'ftp://a/b'), 'The token URL'],
        ];
    }

    /**
     * @dataProvider mistakes
     * @param \Closure(): Credential $make
     */
    #[DataProvider('mistakes')]
    public function testNamesTheSettingThatIsNotValid(\Closure $make, string $named): void
    {
        try {
            $make();
            self::fail('the mistake was not seen');
        } catch (Problem $problem) {
            self::assertSame(ProblemCode::InvalidCredential, $problem->problemCode);
            self::assertStringContainsString($named, $problem->getMessage());
        }
    }

    public function testTakesWhatIsAtTheBounds(): void
    {
        self::assertSame(str_repeat('a', 512), (new Hmac(str_repeat('a', 512), 'x y'))->appKey);
        self::assertSame(0, (new Key('A-z.0_9', retries: 0))->retries);
    }
}
