<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\HeaderList;
use Postern\Client\Internal\ParameterText;
use Postern\Client\Internal\Secret;
use Postern\Client\Internal\Settings;
use Postern\Client\Internal\Target;

/** Method `key`: the App Key itself, in a header or a query parameter. It is a secret. */
final class Key extends Credential
{
    private readonly Secret $appKey;

    /**
     * @param string $header the header that carries the App Key
     * @param string|null $query the query parameter that carries it instead
     * @param int $retries how often a refused call is made again, besides the first time
     * @throws Problem INVALID_CREDENTIAL
     */
    public function __construct(
        #[\SensitiveParameter] string $appKey,
        private readonly string $header = 'X-App-Key',
        private readonly ?string $query = null,
        int $retries = 2,
    ) {
        parent::__construct($retries, 0, null);
        $this->appKey = new Secret(Settings::appKey($appKey));
        Settings::require(HeaderList::isName($header), 'The name of the header is not valid.');
        Settings::require(
            $query === null || ($query !== '' && mb_check_encoding($query, 'UTF-8')),
            'The name of the query parameter is empty or not UTF-8.',
        );
    }

    public function sign(Request $request): SignedRequest
    {
        $target = Target::of($request->url);
        if ($this->query === null) {
            return new SignedRequest($request, $target, [[$this->header, $this->appKey->reveal()]]);
        }
        if (ParameterText::hasName($target->query ?? '', $this->query)) {
            throw Problem::of(
                ProblemCode::ReservedParameter,
                'The query has the parameter already that carries the App Key.',
            );
        }
        $parameter = Parameters::encode([$this->query => $this->appKey->reveal()]);
        $query = ParameterText::append($target->query ?? '', $parameter);
        return new SignedRequest($request, $target->withQuery($query), []);
    }

    public function redact(#[\SensitiveParameter] string $text): string
    {
        return str_replace($this->appKey->reveal(), Secret::SHOWN, $text);
    }

    public function __debugInfo(): array
    {
        $carrier = $this->query === null ? ['header' => $this->header] : ['query' => $this->query];
        return ['appKey' => Secret::SHOWN, ...$carrier, 'retries' => $this->retries];
    }
}
