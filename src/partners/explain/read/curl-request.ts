import { type ClientHeader, headerOf } from '../../../check/signing/client-request.ts';
import { findFileProblem, namedFiles, notesOnFiles, readCurlData, readUrlQueries } from './curl-data.ts';
import { type CurlOption, readCurlOptions } from './curl-options.ts';
import { maskedNames } from './left-out.ts';
import { maskedNotes, type ReadContext, type ReadProblem, type ReadRequest, splitUrl } from './read-result.ts';
import { isCmdCommand, type Pipeline, readCmdWords, readPipeline } from './shell-words.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
/** What a shell shows before a command. */
export const PROMPT = /^\s*(?:[$#>] )?/;

/**
 * Reads the request that a `curl` command sends, as curl 7 and 8 build it: its headers, defaults too, and its body.
 * Options that change nothing in the request are ignored. What stands before curl in a pipeline may be its input. No
 * file that the command names is read: `body` stands for the one that holds the body.
 */
export function readCurlRequest(text: string, { body: given }: Pick<ReadContext, 'body'>): ReadRequest | ReadProblem {
  const pipeline = readCommands(text.replace(PROMPT, ''));
  if ('problem' in pipeline) return pipeline;
  const position = pipeline.findIndex((words) => words.some(isCurl));
  const words = pipeline[position];
  if (words === undefined) return { problem: 'there is no curl in the command line' };
  const all = readCurlOptions(words.slice(words.findIndex(isCurl) + 1));
  const end = all.findIndex(({ name }) => name === 'next');
  const options = end === -1 ? all : all.slice(0, end);
  const has = (wanted: string): boolean => options.some(({ name }) => name === wanted);
  const last = (wanted: string): string | null => options.findLast(({ name }) => name === wanted)?.value ?? null;

  const unknown = findFileProblem(options);
  if (unknown !== null) return unknown;
  const files = namedFiles(pipedInput(pipeline.slice(0, position)), given);
  const data = readCurlData(options, files.read);
  if (data !== null && typeof data !== 'string') return data;
  const upload = last('upload-file');
  const uploaded = upload === null ? null : files.read(upload === '.' ? '-' : upload);
  if (uploaded !== null && 'problem' in uploaded) return uploaded;
  const added = readUrlQueries(options, files.read);
  if ('problem' in added) return added;
  if (given !== null && !files.isGivenUsed()) {
    return { problem: 'the command takes no body from a file, so --body has no use' };
  }

  const url = last('url');
  const parts = url === null ? null : splitUrl(url);
  if (parts === null) return { problem: 'the curl command has no URL' };
  const isQuery = has('get') || has('head');
  const target = has('path-as-is') ? parts.target : removeDotSegments(parts.target);
  const queries = [...added, ...(isQuery && data !== null ? [data] : [])];
  const path = queries.length === 0 ? target : `${target}${target.includes('?') ? '&' : '?'}${queries.join('&')}`;
  const body = uploaded ?? Buffer.from(isQuery ? '' : (data ?? ''), 'latin1');
  const hasData = !isQuery && data !== null;
  const headers = readHeaders(options, hasData, parts.user, body.length > 0 || hasData ? body.length : null);
  const named = last('request');
  const sentTarget = last('request-target') ?? path;
  const masked = maskedNames({ path: sentTarget, headers });
  return {
    form: 'curl',
    request: {
      method: named ?? (has('head') ? 'HEAD' : uploaded !== null ? 'PUT' : hasData ? 'POST' : 'GET'),
      path: sentTarget,
      authority: headerOf({ headers }, 'host') ?? parts.authority,
      headers,
      body,
    },
    sentAtSeconds: null,
    leftOut: { body: false, headers: 'none', isMasked: masked.length > 0 },
    notes: [...notesOnFiles(options), ...maskedNotes(masked)],
  };
}

/** The commands of a line for a POSIX shell, or the one of a line for cmd.exe. */
function readCommands(text: string): Pipeline | ReadProblem {
  if (!isCmdCommand(text)) return readPipeline(text);
  const words = readCmdWords(text);
  return 'problem' in words ? words : [words];
}

/** Whether a word of a command line is the program curl. */
export function isCurl(word: string): boolean {
  return /(?:^|[/\\])curl(?:\.exe)?$/.test(word);
}

/** The headers that are written, and the ones that curl adds to them. */
function readHeaders(
  options: readonly CurlOption[],
  hasData: boolean,
  urlUser: string | null,
  bodyBytes: number | null,
): readonly ClientHeader[] {
  const written: ClientHeader[] = [];
  const removed = new Set<string>();
  for (const option of options) {
    if (option.name !== 'header') continue;
    const [, name = '', mark = '', value = ''] = /^([^:;]*)([:;]?)([^]*)$/.exec(option.value) ?? [];
    const trimmed = trimBlanks(value);
    if (mark === ';') written.push([name, '']);
    else if (trimmed === '') removed.add(name.toLowerCase());
    else written.push([name, trimmed]);
  }
  const last = (wanted: string): string | null => options.findLast(({ name }) => name === wanted)?.value ?? null;
  const user = last('user') ?? urlUser;
  const bearer = last('oauth2-bearer');
  const isJson = last('json') !== null;
  const cookie = last('cookie');
  const added: readonly (readonly [string, string | null])[] = [
    ['Authorization', bearer !== null ? `Bearer ${bearer}` : user === null ? null : `Basic ${base64(user)}`],
    ['User-Agent', last('user-agent')],
    ['Referer', last('referer')],
    ['Accept', isJson ? 'application/json' : '*/*'],
    ['Cookie', cookie !== null && cookie.includes('=') ? cookie : null],
    ['Content-Length', bodyBytes === null ? null : String(bodyBytes)],
    ['Content-Type', isJson ? 'application/json' : hasData ? FORM_TYPE : null],
  ];
  const taken = new Set([...removed, ...written.map(([name]) => name.toLowerCase())]);
  return [
    ...written,
    ...added.flatMap(([name, value]) =>
      value === null || taken.has(name.toLowerCase()) ? [] : [[name, value] as const],
    ),
  ];
}

/** What the commands before curl write, where that is plain: `printf %s TEXT`, with `base64 -d` after it or not. */
function pipedInput(commands: Pipeline): Buffer | null {
  const [writer, decoder, another] = commands;
  if (writer === undefined || another !== undefined) return null;
  const text = writtenText(writer);
  if (text === null || decoder === undefined) return text === null ? null : Buffer.from(text, 'latin1');
  const isDecoder = decoder[0] === 'base64' && /^(?:-d|-D|--decode)$/.test(decoder[1] ?? '') && decoder.length === 2;
  return isDecoder ? Buffer.from(text, 'base64') : null;
}

function writtenText(words: readonly string[]): string | null {
  const [command, first, second, third] = words;
  if (command === 'printf' && third === undefined) {
    if (first === '%s') return second ?? '';
    return second === undefined && first !== undefined && !/[%\\]/.test(first) ? first : null;
  }
  if (command !== 'echo') return null;
  return first === '-n' ? words.slice(2).join(' ') : `${words.slice(1).join(' ')}\n`;
}

function base64(text: string): string {
  return Buffer.from(text, 'latin1').toString('base64');
}

function trimBlanks(text: string): string {
  return text.replace(/^[ \t]+/, '').replace(/(?<![ \t])[ \t]+$/, '');
}

/** Resolves `.` and `..` segments of a path as curl does without `--path-as-is` (RFC 3986 §5.2.4); the query stays. */
function removeDotSegments(target: string): string {
  if (!target.includes('/.')) return target;
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const segments = path.split('/').slice(1);
  const kept: string[] = [];
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (segment === '..') kept.pop();
    if (segment !== '.' && segment !== '..') kept.push(segment);
    else if (isLast) kept.push('');
  }
  return `/${kept.join('/')}${mark === -1 ? '' : target.slice(mark)}`;
}
