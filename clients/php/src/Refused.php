<?php

declare(strict_types=1);

namespace Postern\Client;

/** A refusal of the gateway, thrown by {@see Refusal::orThrow()}. */
final class Refused extends \RuntimeException
{
    public function __construct(public readonly Refusal $refusal)
    {
        $text = "$refusal->status $refusal->code: $refusal->message (request $refusal->requestId)";
        parent::__construct($text, $refusal->status);
    }
}
