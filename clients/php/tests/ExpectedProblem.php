<?php

declare(strict_types=1);

namespace Postern\Client\Tests;

/** A problem by its code alone. */
final class ExpectedProblem extends \Exception
{
}
