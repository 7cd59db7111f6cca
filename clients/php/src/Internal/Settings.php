<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

use Postern\Client\Problem;
use Postern\Client\ProblemCode;

/**
 * Checks of what a credential is made of. Messages name the setting and never its value.
 *
 * @internal
 */
final class Settings
{
    public static function appKey(#[\SensitiveParameter] string $appKey): string
    {
        self::require(
            preg_match('/^[A-Za-z0-9._-]{1,512}\z/', $appKey) === 1,
            'The App Key is not 1 to 512 characters of A-Z, a-z, 0-9, ".", "_" and "-".',
        );
        return $appKey;
    }

    /** The App Key of a method that signs with a private key: the operator may have chosen it freely. */
    public static function keyId(string $appKey): void
    {
        self::require(
            preg_match('/^[\x20\x21\x23-\x5b\x5d-\x7e]{1,512}\z/', $appKey) === 1,
            'The App Key is not 1 to 512 printable ASCII characters without " and \\.',
        );
    }

    public static function appSecret(#[\SensitiveParameter] string $appSecret): Secret
    {
        self::require($appSecret !== '', 'The App Secret is empty.');
        self::require(mb_check_encoding($appSecret, 'UTF-8'), 'The App Secret is not UTF-8.');
        self::require(preg_match('/\p{Cc}/u', $appSecret) === 0, 'The App Secret holds control characters.');
        self::require(
            preg_match('/^[\s\p{Z}]|[\s\p{Z}]\z/u', $appSecret) === 0,
            'The App Secret has white space at its beginning or end.',
        );
        return new Secret($appSecret);
    }

    /** @throws Problem INVALID_CREDENTIAL with this message unless it holds */
    public static function require(bool $holds, string $message): void
    {
        if (!$holds) {
            throw Problem::of(ProblemCode::InvalidCredential, $message);
        }
    }
}
