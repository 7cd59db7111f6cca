<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

/** PHP's own server with {@see echo.php}, on a free port of this machine. */
final class EchoServer
{
    public readonly string $url;

    /** @var resource */
    private $process;

    public function __construct()
    {
        $probe = stream_socket_server('tcp://127.0.0.1:0');
        $address = (string) stream_socket_get_name($probe, false);
        fclose($probe);
        $this->url = "http://$address";
        $command = [\PHP_BINARY, '-S', $address, __DIR__ . '/echo.php'];
        $files = [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['pipe', 'w']];
        $this->process = proc_open($command, $files, $pipes);
        // Its first line says that it listens.
        while (($line = fgets($pipes[2])) !== false && !str_contains($line, 'started')) {
        }
        if ($line === false) {
            throw new \RuntimeException('The server did not start.');
        }
        stream_set_blocking($pipes[2], false);
    }

    public function stop(): void
    {
        proc_terminate($this->process);
        proc_close($this->process);
    }
}
