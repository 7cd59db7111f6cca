<?php

declare(strict_types=1);

namespace Postern\Client;

use Postern\Client\Internal\BodyForm;
use Postern\Client\Internal\HeaderList;
use Postern\Client\Internal\Nonces;
use Postern\Client\Internal\ParameterText;
use Postern\Client\Internal\RecentSignatures;
use Postern\Client\Internal\Secret;
use Postern\Client\Internal\Settings;
use Postern\Client\Internal\Target;
use Postern\Client\Internal\Wrapper;

/**
 * Method `parameter-signature`: signs the parameters of the URL, of a form, or a JSON body that it wraps.
 *
 * Method, path and host are not signed.
 */
final class ParameterSignature extends Credential
{
    private const SIGN_LENGTH = 128;

    private readonly Secret $appSecret;
    private readonly Nonces $nonces;
    private readonly RecentSignatures $recent;

    /**
     * @param string $encoding `decoded`, or `raw` for endpoints with `parameterEncoding: raw`
     * @param bool $nonce for endpoints with replay protection: makes every signature another one
     * @param int $retries how often a refused call is made again, besides the first time
     * @param int $clockCorrection the largest correction of the clock in seconds, by the gateway's answers; 0 for none
     * @param (\Closure(): (int|float))|null $now Unix time in seconds; null for the machine's clock
     * @param (\Closure(): string)|null $nonces a source of nonces; null for a cryptographic one
     * @throws Problem INVALID_CREDENTIAL
     */
    public function __construct(
        public readonly string $appKey,
        #[\SensitiveParameter] string $appSecret,
        public readonly string $encoding = 'decoded',
        private readonly bool $nonce = false,
        int $retries = 2,
        int $clockCorrection = 0,
        ?\Closure $now = null,
        ?\Closure $nonces = null,
    ) {
        parent::__construct($retries, $clockCorrection, $now);
        Settings::appKey($appKey);
        $this->appSecret = Settings::appSecret($appSecret);
        Settings::require(in_array($encoding, ['decoded', 'raw'], true), 'The encoding is neither decoded nor raw.');
        $this->nonces = new Nonces($nonces);
        $this->recent = new RecentSignatures();
    }

    public function sign(Request $request): SignedRequest
    {
        $target = Target::of($request->url);
        if ($request->body === '') {
            [$query, $stringToSign] = $this->signText($target->query ?? '', $this->added());
            return new SignedRequest($request, $target->withQuery($query), [], stringToSign: $stringToSign);
        }
        $headers = new HeaderList($request->headers);
        [$body, $stringToSign] = BodyForm::of($headers) === BodyForm::Json
            ? $this->wrap($request->body, $headers, $target)
            : $this->signForm($request->body, $headers, $target);
        return new SignedRequest($request, $target, [], $body, $stringToSign);
    }

    public function bodyLimit(array $headers): int
    {
        return BodyForm::of(new HeaderList($headers))->limit();
    }

    public function redact(#[\SensitiveParameter] string $text): string
    {
        return str_replace($this->appSecret->reveal(), Secret::SHOWN, $text);
    }

    public function __debugInfo(): array
    {
        return [
            'appKey' => $this->appKey,
            'appSecret' => Secret::SHOWN,
            'encoding' => $this->encoding,
            'nonce' => $this->nonce,
            'retries' => $this->retries,
        ];
    }

    /** @return array{string, string} the form and its string to sign */
    private function signForm(string $text, HeaderList $headers, Target $target): array
    {
        $added = $this->added();
        $form = BodyForm::of($headers);
        self::requireSize(strlen(self::extend($text, $added)) + strlen('&sign=') + self::SIGN_LENGTH, $form);
        $form->requireSignable($headers);
        self::requireNoQuery($target);
        return $this->signText($text, $added);
    }

    /**
     * @param array<string, string> $added
     * @return array{string, string} the text with the added parameters, and its string to sign
     */
    private function signText(string $text, array $added): array
    {
        $parameters = ParameterText::read($text, [...array_keys($added), 'sign'], $this->encoding === 'raw');
        $stringToSign = $parameters->stringToSign($added);
        return [self::extend($text, $added) . "&sign={$this->signatureOf($stringToSign)}", $stringToSign];
    }

    /** @return array<string, string> what is added to parameters and signed with them */
    private function added(): array
    {
        $added = ['appKey' => $this->appKey, 'apiTimestamp' => (string) $this->clock()->now()];
        return $this->nonce ? [...$added, 'nonce' => $this->nonces->next()] : $added;
    }

    /** @param array<string, string> $added */
    private static function extend(string $text, array $added): string
    {
        return ParameterText::append($text, Parameters::encode($added));
    }

    /** @return array{string, string} the wrapper and its string to sign */
    private function wrap(string $data, HeaderList $headers, Target $target): array
    {
        $form = BodyForm::Json;
        $time = $this->clock()->now();
        [$sign, $stringToSign] = $this->signData($data, $time);
        $isRepeated = $this->nonce && $this->recent->has($sign, $this->clock()->present());
        for ($step = 1; $isRepeated && $step <= 60; $step += 1) {
            [$sign, $stringToSign] = $this->signData($data, $time += 1);
            $isRepeated = $this->recent->has($sign, $this->clock()->present());
        }
        $wrapper = Wrapper::write($data, $this->appKey, $sign, $time);
        self::requireSize(strlen($wrapper), $form);
        $form->requireSignable($headers);
        if (!mb_check_encoding($data, 'UTF-8')) {
            throw BodyForm::problem('The JSON body is not UTF-8.');
        }
        self::requireNoQuery($target);
        if ($this->nonce) {
            $this->recent->add($sign, $time);
        }
        return [$wrapper, $stringToSign];
    }

    /** @return array{string, string} */
    private function signData(string $data, int $time): array
    {
        $stringToSign = "apiTimestamp=$time&appKey=$this->appKey&data=$data";
        return [$this->signatureOf($stringToSign), $stringToSign];
    }

    private function signatureOf(string $stringToSign): string
    {
        return hash('sha512', $stringToSign . $this->appSecret->reveal());
    }

    private static function requireSize(int $bytes, BodyForm $form): void
    {
        if ($bytes > $form->limit()) {
            throw Problem::of(ProblemCode::BodyTooLarge, "The signed body has more than {$form->limit()} bytes.");
        }
    }

    private static function requireNoQuery(Target $target): void
    {
        if (($target->query ?? '') !== '') {
            throw Problem::of(ProblemCode::QueryNotSignable, 'The signature does not cover a query beside a body.');
        }
    }
}
