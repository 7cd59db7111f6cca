<?php

declare(strict_types=1);

namespace Postern\Client\Internal;

use Postern\Client\Problem;
use Postern\Client\ProblemCode;

/**
 * Which headers an hmac signature can cover, and what stands for them.
 *
 * @internal
 */
final class SignableHeaders
{
    private const NEVER = ['authorization', 'connection', 'keep-alive', 'te', 'transfer-encoding', 'x-request-id'];
    private const NEVER_LIKE = '/^x-(?:(?:forwarded|envoy|consumer|credential|authenticated)-|anonymous-consumer\z)/';

    /**
     * The value of a header that is to be signed, without blanks and tabs at its ends.
     *
     * @param string $name in lower case
     * @param list<array{string, string}> $headers
     * @throws Problem HEADER_NOT_SIGNABLE
     */
    public static function value(string $name, array $headers, Target $target): string
    {
        self::requireSignable($name);
        if ($name === 'host') {
            $target->requirePlainAuthority();
        }
        $values = (new HeaderList($headers))->values($name);
        if ($name === 'host' && $values === []) {
            $values = [$target->authority];
        }
        if (count($values) !== 1) {
            $reason = $values === [] ? 'absent' : 'repeated';
            throw self::problem("The header $name is to be signed and is $reason.");
        }
        $value = trim($values[0], " \t");
        if (preg_match('/[^\t\x20-\x7E]/', $value) === 1) {
            throw self::problem("The header $name is to be signed and holds other bytes than visible ASCII.");
        }
        return $value;
    }

    private static function requireSignable(string $name): void
    {
        if (!HeaderList::isName($name)) {
            throw self::problem('One of the headers to be signed has no valid name.');
        }
        if (in_array($name, self::NEVER, true) || preg_match(self::NEVER_LIKE, strtr($name, '_', '-')) === 1) {
            throw self::problem("The header $name cannot be signed: it does not arrive as it was sent.");
        }
    }

    private static function problem(string $message): Problem
    {
        return Problem::of(ProblemCode::HeaderNotSignable, $message);
    }
}
