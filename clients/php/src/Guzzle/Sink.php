<?php

declare(strict_types=1);

namespace Postern\Client\Guzzle;

/**
 * Where Guzzle writes the body of the answer, by its option `sink`. A refusal must not stay there before the answer
 * that follows.
 *
 * @internal
 */
final class Sink
{
    private readonly int $position;

    public function __construct(private readonly mixed $sink)
    {
        $this->position = is_resource($sink) ? (int) ftell($sink) : 0;
    }

    /** Whether what a refusal wrote can be removed; not from a stream object. */
    public function canReset(): bool
    {
        return match (true) {
            // Guzzle empties a file that it opens by name.
            $this->sink === null, is_string($this->sink) => true,
            is_resource($this->sink) => (bool) (stream_get_meta_data($this->sink)['seekable'] ?? false),
            default => false,
        };
    }

    public function reset(): void
    {
        if (is_resource($this->sink)) {
            ftruncate($this->sink, $this->position);
            fseek($this->sink, $this->position);
        }
    }
}
