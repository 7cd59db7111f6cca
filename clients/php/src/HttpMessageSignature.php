<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\AcceptSignature;
use Postern\Client\Internal\Components;
use Postern\Client\Internal\Nonces;
use Postern\Client\Internal\Secret;
use Postern\Client\Internal\Settings;
use Postern\Client\Internal\Signing;
use Postern\Client\Internal\StructuredString;
use Postern\Client\Internal\Target;

/** Method `http-message-signature` (RFC 9421): signs method, host, path, query and body with a private key. */
final class HttpMessageSignature extends Credential
{
    /** The largest body that the gateway takes, in bytes. */
    public const MAX_BODY_BYTES = 10_485_760;

    private readonly Signing $signing;
    private readonly Nonces $nonces;

    /** @var list<string> in lower case */
    private readonly array $coverAlso;

    /**
     * @param string $appKey sent as `keyid`
     * @param PrivateKey $privateKey the key, or what signs with it
     * @param string|null $algorithm by its name in RFC 9421; null for that of the key
     * @param bool $nonce whether every signature has a nonce, which replay protection needs
     * @param string|null $tag of the signature
     * @param list<string> $coverAlso more components: names of headers, `@target-uri`, `@scheme`, `@request-target`
     * @param string $label of the signature
     * @param int $retries how often a refused call is made again, besides the first time
     * @param int $clockCorrection the largest correction of the clock in seconds, by the gateway's answers; 0 for none
     * @param (\Closure(): (int|float))|null $now Unix time in seconds; null for the machine's clock
     * @param (\Closure(): string)|null $nonces a source of nonces; null for a cryptographic one
     * @throws Problem INVALID_CREDENTIAL
     */
    public function __construct(
        public readonly string $appKey,
        PrivateKey $privateKey,
        ?string $algorithm = null,
        private readonly bool $nonce = true,
        private readonly ?string $tag = null,
        array $coverAlso = [],
        private readonly string $label = 'sig1',
        int $retries = 2,
        int $clockCorrection = 0,
        ?\Closure $now = null,
        ?\Closure $nonces = null,
    ) {
        parent::__construct($retries, $clockCorrection, $now);
        Settings::keyId($appKey);
        Settings::require(
            $tag === null || ($tag !== '' && StructuredString::isPlain($tag)),
            'The tag is not printable ASCII without " and \\.',
        );
        Settings::require(preg_match('/^[a-z*][a-z0-9_.*-]*\z/', $label) === 1, 'The label is not valid.');
        $this->signing = Signing::with($privateKey, Signing::OF_MESSAGES, $algorithm);
        $this->coverAlso = array_values(array_map(static fn (string $name) => strtolower($name), $coverAlso));
        $this->nonces = new Nonces($nonces);
    }

    /** @throws Problem also SIGNER_FAILED */
    public function sign(Request $request): SignedRequest
    {
        $components = self::componentsOf($request);
        return $this->make($components, $components->usual($this->coverAlso), $this->label, $this->tag, $this->nonce);
    }

    /**
     * Signs a request anew that a gateway refused with 401, as its `Accept-Signature` asks.
     *
     * @param string $acceptSignature all lines of the field, joined by `, `
     * @param bool $isLater whether the nonce that it holds was used
     * @return SignedRequest|null null when it asks for nothing more than {@see sign()} does, or for what cannot be done
     * @throws Problem when the request cannot be signed
     */
    public function signAgain(Request $request, string $acceptSignature, bool $isLater = false): ?SignedRequest
    {
        $components = self::componentsOf($request);
        $usual = $components->usual($this->coverAlso);
        foreach (AcceptSignature::read($acceptSignature, $this->appKey, $this->signing->algorithm) as $asked) {
            if (!$components->have($asked->components)) {
                continue;
            }
            $isMore = array_diff($asked->components, $usual) !== []
                || ($asked->tag !== null && $asked->tag !== $this->tag)
                || ($asked->nonce !== null && !$this->nonce);
            $nonce = $isLater && $asked->nonce !== null ? true : $asked->nonce ?? $this->nonce;
            $names = array_values(array_unique([...$usual, ...$asked->components]));
            return $isMore ? $this->make($components, $names, $asked->label, $asked->tag ?? $this->tag, $nonce) : null;
        }
        return null;
    }

    public function bodyLimit(array $headers): int
    {
        return self::MAX_BODY_BYTES;
    }

    public function redact(#[\SensitiveParameter] string $text): string
    {
        return $text;
    }

    public function __debugInfo(): array
    {
        return [
            'appKey' => $this->appKey,
            'privateKey' => Secret::SHOWN,
            'algorithm' => $this->signing->algorithm,
            'nonce' => $this->nonce,
            'tag' => $this->tag,
            'coverAlso' => $this->coverAlso,
            'label' => $this->label,
            'retries' => $this->retries,
        ];
    }

    private static function componentsOf(Request $request): Components
    {
        $target = Target::of($request->url);
        $target->requirePlainAuthority();
        if (strlen($request->body) > self::MAX_BODY_BYTES) {
            throw Problem::of(ProblemCode::BodyTooLarge, 'The body has more than 10 485 760 bytes.');
        }
        return new Components($request, $target);
    }

    /**
     * @param list<string> $names of components
     * @param bool|string $nonce the nonce, or whether there is one
     */
    private function make(
        Components $components,
        array $names,
        string $label,
        ?string $tag,
        bool|string $nonce,
    ): SignedRequest {
        $lines = array_map(static fn (string $name) => "\"$name\": {$components->value($name)}", $names);
        $nonce = $nonce === true ? $this->nonces->next() : $nonce;
        $parameters = ($names === [] ? '()' : '("' . implode('" "', $names) . '")')
            . ";created={$this->clock()->now()};keyid=\"$this->appKey\""
            . ($nonce === false ? '' : ";nonce=\"$nonce\"")
            . ($tag === null ? '' : ";tag=\"$tag\"");
        $base = implode("\n", [...$lines, "\"@signature-params\": $parameters"]);
        $signature = base64_encode($this->signing->sign($base));
        return new SignedRequest($components->request, $components->target, [
            ...$components->set,
            ['Signature-Input', "$label=$parameters"],
            ['Signature', "$label=:$signature:"],
        ], stringToSign: $base);
    }
}
