<?php

declare(strict_types=1);

// Answers the questions of ../../tools/speed.mjs.

use Postern\Client\Hmac;
use Postern\Client\HttpMessageSignature;
use Postern\Client\PrivateKey;
use Postern\Client\Request;

require __DIR__ . '/../autoload.php';

const APP_KEY = '3f0c9a1be27d4856';
const APP_SECRET = 'an App Secret of 32 characters ..';

/** The CPU time of something that is done so many times, in nanoseconds. */
function timed(int $count, Closure $run): int
{
    $cpuTime = static function (): int {
        $usage = getrusage();
        return 1_000_000 * ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec'])
            + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec'];
    };
    $start = $cpuTime();
    for ($done = 0; $done < $count; $done++) {
        $run();
    }
    return 1000 * ($cpuTime() - $start);
}

$pem = (string) getenv('PRIVATE_KEY');
$body = str_repeat('a', 200);
$headers = [['Content-Type', 'application/json']];
$request = new Request('POST', 'https://api.example.com/orders?page=2', $headers, $body);
$byHmac = new Hmac(APP_KEY, APP_SECRET);
$byKey = new HttpMessageSignature(APP_KEY, PrivateKey::fromPem($pem));
$text = (string) $byHmac->sign($request)->stringToSign();
$base = (string) $byKey->sign($request)->stringToSign();
$key = openssl_pkey_get_private($pem);
$bare = [
    'hmac' => static fn () => [hash('sha256', $body, true), hash_hmac('sha256', $text, APP_SECRET, true)],
    'p256' => static fn () => openssl_sign($base, $signature, $key, 'sha256'),
];
$signed = ['hmac' => static fn () => $byHmac->sign($request), 'p256' => static fn () => $byKey->sign($request)];

while (($line = fgets(STDIN)) !== false) {
    [$method, $count] = explode(' ', trim($line));
    echo timed((int) $count, $bare[$method]), ' ', timed((int) $count, $signed[$method]), "\n";
}
