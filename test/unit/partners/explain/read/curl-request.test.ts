import assert from 'node:assert/strict';
import { readCurlRequest } from '../../../../../src/partners/explain/read/curl-request.ts';
import type { ReadProblem, ReadRequest } from '../../../../../src/partners/explain/read/read-result.ts';
import type { ClientRequest } from '../../../../../src/check/signing/client-request.ts';

function read(command: string, body: string | null = null): ClientRequest {
  const result = outcome(command, body);
  assert.ok('request' in result, 'problem' in result ? result.problem : '');
  return result.request;
}

function problemOf(command: string, body: string | null = null): string {
  const result = outcome(command, body);
  return 'problem' in result ? result.problem : '';
}

function outcome(command: string, body: string | null): ReadRequest | ReadProblem {
  const given = body === null ? null : Buffer.from(body);
  return readCurlRequest(Buffer.from(command).toString('latin1'), { body: given });
}

const utf8 = (bytes: string | undefined): string => Buffer.from(bytes ?? '', 'latin1').toString('utf8');
const header = ({ headers }: ClientRequest, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
const line = ({ method, path, authority }: ClientRequest): readonly string[] => [method, path, authority];

describe('reading a curl command', () => {
  it('takes method, target and host from the URL', () => {
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['curl http://a.example/x?y=1#z', ['GET', '/x?y=1', 'a.example']],
      ['curl a.example', ['GET', '/', 'a.example']],
      ['curl https://a.example:443?q', ['GET', '/?q', 'a.example']],
      ['curl https://a.example:80/', ['GET', '/', 'a.example:80']],
      ['curl --url http://a.example/x', ['GET', '/x', 'a.example']],
      ['curl -XDELETE http://a/x', ['DELETE', '/x', 'a']],
      ['curl --request PUT http://a/x', ['PUT', '/x', 'a']],
      ['curl -I http://a/x', ['HEAD', '/x', 'a']],
      ['curl --head http://a/x', ['HEAD', '/x', 'a']],
      ['curl -H "Host: b:1" http://a/x', ['GET', '/x', 'b:1']],
      ['curl http://a/x/../y/./z', ['GET', '/y/z', 'a']],
      ['curl --path-as-is http://a/x/../y', ['GET', '/x/../y', 'a']],
      [
        'curl -sSiL -m 5 --retry 3 -o /dev/null -w "%{http_code}" --compressed --http2 -k http://a/x',
        ['GET', '/x', 'a'],
      ],
      ['curl -sXPATCH http://a/x', ['PATCH', '/x', 'a']],
      ['$ curl http://a/x', ['GET', '/x', 'a']],
      ['/usr/bin/curl.exe http://a/x | jq .', ['GET', '/x', 'a']],
      ['curl http://a/x > out.json 2>&1', ['GET', '/x', 'a']],
      ['curl http://a/x; echo', ['GET', '/x', 'a']],
      ['curl http://a/x --next http://b/y', ['GET', '/x', 'a']],
      ['curl --url-query a=1 http://a/x', ['GET', '/x?a=1', 'a']],
    ];
    for (const [command, expected] of cases) assert.deepEqual(line(read(command)), expected, command);
  });

  it('reads every way of quoting, over several lines', () => {
    const request = read(
      `curl 'http://a/x?y='\\''1' \\\n  -H "A: \\"q\\" \\$1 \\x" \\\r\n  -H 'B: "\\n"' -H $'C: \\'\\x41\\u00e9\\t' -H D:\\ e`,
    );
    assert.equal(request.path, "/x?y='1");
    assert.equal(header(request, 'a'), '"q" $1 \\x');
    assert.equal(header(request, 'b'), '"\\n"');
    assert.equal(utf8(header(request, 'c')), "'Aé");
    assert.equal(header(request, 'd'), 'e');
  });

  it('reads a body as curl does', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['-d a=1 -d b=2', 'a=1&b=2'],
      ['-da=1', 'a=1'],
      ['--data-raw @order.json', '@order.json'],
      ["--data-binary $'a\\nb\\xff'", 'a\nb\xff'],
      ["--data-urlencode 'x=a b+c/ü~'", 'x=a+b%2Bc%2F%C3%BC~'],
      ["--data-urlencode '=a&b'", 'a%26b'],
      ["--data-urlencode 'a&b'", 'a%26b'],
      ["--json '{}' --json '[]'", '{}[]'],
      ["-d 'ü'", Buffer.from('ü').toString('latin1')],
    ];
    for (const [options, body] of cases) {
      assert.equal(read(`curl ${options} http://a/`).body.toString('latin1'), body, options);
    }
    assert.equal(read('curl -d a=1 http://a/').method, 'POST');
    const query = read("curl -G -d a=1 --data-urlencode 'b=x y' 'http://a/?c=3'");
    assert.deepEqual([line(query), query.body.length], [['GET', '/?c=3&a=1&b=x+y', 'a'], 0]);
  });

  it('takes the body that is given as curl takes it from the file that the command names', () => {
    const cases: readonly (readonly [options: string, given: string, body: string])[] = [
      ['--data @order.json', '{"a":\r\n1}\n', '{"a":1}'],
      ['-d x=1 -d@order.json', '\ny', 'x=1&y'],
      ['--data-binary @order.json', '{"a":\r\n1}\n', '{"a":\r\n1}\n'],
      ['--data-binary @-', 'a\n', 'a\n'],
      ['--json @order.json --json @order.json', '[]\n', '[]\n[]\n'],
      ['--data-urlencode n@ü.txt', 'a b&c', 'n=a+b%26c'],
      ['-T order.json', '{"a":\r\n1}\n', '{"a":\r\n1}\n'],
      ['-T .', 'x', 'x'],
    ];
    for (const [options, given, body] of cases) {
      assert.equal(read(`curl ${options} http://a/`, given).body.toString('latin1'), body, options);
    }
    assert.equal(read('curl -T order.json http://a/', '').method, 'PUT');
    assert.equal(
      read('curl --url-query n@f --url-query +%41 --url-query "a=ü" http://a/?x', 'b c').path,
      '/?x&n=b+c&%41&a=%C3%BC',
    );
  });

  it('refuses a body that has no place in the command', () => {
    const unused = 'the command takes no body from a file, so --body has no use';
    assert.equal(problemOf('curl -d a=1 http://a/', 'b'), unused);
    assert.equal(problemOf('printf a | curl -d @- http://a/', 'b'), unused);
    assert.match(problemOf('curl -d @a -d @b http://a/', 'c'), /^the command takes its body from several files;/);
  });

  it('adds the headers that curl adds', () => {
    const form = read('curl -d a=1 http://a/');
    assert.equal(header(form, 'content-type'), 'application/x-www-form-urlencoded');
    assert.equal(header(form, 'content-length'), '3');
    assert.equal(header(form, 'accept'), '*/*');
    const json = read("curl --json '{}' http://a/");
    assert.deepEqual([header(json, 'content-type'), header(json, 'accept')], ['application/json', 'application/json']);
    const own = read("curl -d a=1 -H 'content-type: text/plain' -H 'Accept:' -H 'X-Empty;' http://a/");
    assert.deepEqual(
      [header(own, 'content-type'), header(own, 'accept'), header(own, 'x-empty')],
      ['text/plain', undefined, ''],
    );
    const user = read('curl -u user:pass -A agent/1 -e http://r/ -b a=1 http://a/');
    assert.deepEqual(
      ['authorization', 'user-agent', 'referer', 'cookie'].map((name) => header(user, name)),
      ['Basic dXNlcjpwYXNz', 'agent/1', 'http://r/', 'a=1'],
    );
    assert.equal(header(read('curl http://user:pass@a/'), 'authorization'), 'Basic dXNlcjpwYXNz');
    assert.equal(header(read('curl --oauth2-bearer t http://a/'), 'authorization'), 'Bearer t');
  });

  it('reads a body that is piped in plainly', () => {
    const base64 = Buffer.from([0, 10, 255]).toString('base64');
    assert.deepEqual(
      [...read(`printf %s '${base64}' | base64 -d | curl --data-binary @- http://a/`).body],
      [0, 10, 255],
    );
    assert.equal(read("printf '{}' | curl -d @- http://a/").body.toString(), '{}');
    assert.equal(read("echo '{}' | curl --data-binary @- http://a/").body.toString(), '{}\n');
    assert.equal(read("echo -n '{}' |\\\n curl --data-binary @- http://a/").body.toString(), '{}');
  });

  it('reads bytes outside ASCII without quotes, as a shell does', () => {
    const { body } = read('curl https://api.example.com/ -d voilà');
    assert.equal(body.toString('utf8'), 'voilà');
  });

  it('says what it cannot know', () => {
    assert.equal(
      problemOf("curl -d '@nö\u0007.json' http://a/"),
      'the command takes its body from the file nö\\x07.json, which is not read: --body FILE names it',
    );
    assert.match(problemOf('curl -d @- http://a/'), /standard input, which is not in the text/);
    assert.match(problemOf('cat x | curl -d @- http://a/'), /standard input/);
    assert.match(problemOf('curl -H "Date: $date" http://a/'), /\$date…, whose value is not known/);
    assert.match(problemOf('curl -H "Date: $(date -u)" http://a/'), /not known here/);
    assert.match(problemOf('curl -H Date:`date` http://a/'), /not known here/);
    assert.match(problemOf('curl -d @- http://a/ < order.json'), /-d @FILE/);
    assert.match(problemOf("curl 'http://a/"), /single quote is not closed/);
    assert.match(problemOf('curl "http://a/'), /double quote is not closed/);
    assert.match(problemOf("curl $'http://a/"), /not closed/);
    assert.match(problemOf('curl -F a=@b http://a/'), /invents each time/);
    assert.match(problemOf('curl -K options http://a/'), /options in a file/);
    assert.match(problemOf('curl -H @headers http://a/'), /headers in a file \(-H @headers\)/);
    assert.match(problemOf('curl --url @urls'), /its URL in a file \(@urls\)/);
    assert.match(problemOf('curl --variable a@f --expand-data {{a}} http://a/'), /has variables/);
    assert.match(problemOf('curl -s'), /no URL/);
    assert.match(problemOf('wget http://a/'), /no curl/);
  });

  it('reads what "Copy as cURL (cmd)" of a browser gives', () => {
    const copied = [
      'curl ^"https://api.example.com/orders?a=1^&b=50^%^25^" ^',
      '  -X ^"PUT^" ^',
      '  -H ^"content-type: application/json^" ^',
      '  -H ^"x-note: it^\'s ^^ here^" ^',
      '  --data-raw ^"^{^\\^"a^\\^":^\\^"b^\\^\\n^|c^\\^",^',
      '',
      '^\\^"d^\\^":2^}^"',
      'echo done',
    ];
    for (const end of ['\n', '\r\n']) {
      const request = read(copied.join(end));
      assert.deepEqual(line(request), ['PUT', '/orders?a=1&b=50%25', 'api.example.com']);
      assert.equal(header(request, 'x-note'), "it's ^ here");
      assert.equal(request.body.toString(), '{"a":"b\\\\n|c",\n"d":2}');
    }
    const older = read('curl.exe "http://h/a" ^\r\n -H "A: 1 ^ 2" ^\r\n --data-raw "{""x"":""y\\\\z""}" & del x');
    assert.deepEqual([header(older, 'a'), older.body.toString()], ['1 ^ 2', '{"x":"y\\\\z"}']);
    assert.equal(problemOf('curl ^"http://h/'), 'a double quote is not closed');
  });
});
