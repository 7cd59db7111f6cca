<?php

declare(strict_types=1);

namespace Postern\Client\Driver;

use GuzzleHttp\Handler\CurlMultiHandler;
use GuzzleHttp\Promise\Utils;
use Postern\Client\Problem;
use Postern\Client\Tests\Printer;

/** Reads questions, answers each, and lets calls of Guzzle go on at the same time. */
final class Driver
{
    private const TICK_SECONDS = 0.005;

    /** @var array<string, Session> */
    private array $sessions = [];
    private int $pending = 0;

    /** @var array<string, CurlMultiHandler> by version of HTTP, because curl takes any connection that is there */
    private readonly array $multi;

    public function __construct()
    {
        $multi = static fn () => new CurlMultiHandler(['select_timeout' => self::TICK_SECONDS]);
        $this->multi = ['1.1' => $multi(), '2' => $multi()];
    }

    public function run(): void
    {
        stream_set_blocking(\STDIN, false);
        $buffer = '';
        $isOpen = true;
        while ($isOpen || $this->pending > 0) {
            if ($isOpen) {
                $readable = [\STDIN];
                $none = null;
                // Without calls under way there is nothing to do but to read.
                stream_select($readable, $none, $none, $this->pending > 0 ? 0 : null, 0);
                $buffer .= (string) fread(\STDIN, 1 << 20);
                $isOpen = !feof(\STDIN);
                $lines = explode("\n", $buffer);
                $buffer = (string) array_pop($lines);
                foreach ($lines as $line) {
                    $this->take($line);
                }
            }
            if ($this->pending > 0) {
                foreach ($this->multi as $multi) {
                    $multi->tick();
                }
                Utils::queue()->run();
            }
        }
    }

    private function take(string $line): void
    {
        $question = json_decode($line, true);
        if (!is_array($question) || !array_key_exists('id', $question)) {
            self::write(['error' => 'The line is no question.']);
            return;
        }
        $id = $question['id'];
        try {
            $this->answer($id, $question);
        } catch (\Throwable $error) {
            self::write(['id' => $id] + self::failure($error));
        }
    }

    /** @param array<string, mixed> $question */
    private function answer(mixed $id, array $question): void
    {
        $op = $question['op'] ?? null;
        if ($op === 'describe') {
            self::write(['id' => $id, 'adapters' => [
                ['name' => 'guzzle', 'http' => ['1.1', '2']],
                ['name' => 'psr-18', 'http' => ['1.1', '2']],
                ['name' => 'curl', 'http' => ['1.1', '2']],
            ]]);
            return;
        }
        if ($op === 'create') {
            $this->sessions[$question['name']] = new Session($question['client'], $this->multi);
            self::write(['id' => $id, 'created' => true]);
            return;
        }
        $session = $this->sessions[$question['name'] ?? ''] ?? throw new \RuntimeException('There is no such client.');
        match ($op) {
            'sign' => self::write([
                'id' => $id,
                'signed' => $session->sign($question['request'], $question['acceptSignature'] ?? null),
            ]),
            'assertion' => self::write(['id' => $id, 'assertion' => $session->assertion()]),
            'print' => self::write(['id' => $id, 'text' => Printer::all($session->credential)]),
            'send' => $this->send($id, $session, $question),
            default => throw new \RuntimeException('There is no such op.'),
        };
    }

    /** @param array<string, mixed> $question */
    private function send(mixed $id, Session $session, array $question): void
    {
        ['adapter' => $adapter, 'http' => $http, 'request' => $request] = $question;
        if ($adapter !== 'guzzle') {
            self::write(['id' => $id] + match ($adapter) {
                'psr-18' => Messages::answer($session->sendPsr18($request, $http)),
                'curl' => Messages::curlAnswer($session->sendCurl($request, $http)),
            });
            return;
        }
        $this->pending += 1;
        $session->sendGuzzle($request, $http)->then(
            fn ($response) => $this->finish(['id' => $id] + Messages::answer($response)),
            fn ($reason) => $this->finish(['id' => $id] + self::failure($reason)),
        );
    }

    /** @param array<string, mixed> $answer */
    private function finish(array $answer): void
    {
        $this->pending -= 1;
        self::write($answer);
    }

    /** @return array<string, mixed> */
    private static function failure(mixed $reason): array
    {
        if ($reason instanceof Problem) {
            return ['problem' => ['code' => $reason->problemCode->value, 'message' => $reason->getMessage()]];
        }
        return ['error' => $reason instanceof \Throwable ? $reason::class . ': ' . $reason->getMessage() : 'failed'];
    }

    /** @param array<string, mixed> $answer */
    private static function write(array $answer): void
    {
        $text = json_encode($answer, \JSON_INVALID_UTF8_SUBSTITUTE | \JSON_THROW_ON_ERROR) . "\n";
        for ($sent = 0; $sent < strlen($text); $sent += (int) fwrite(\STDOUT, substr($text, $sent, 1 << 16))) {
        }
        fflush(\STDOUT);
    }
}
