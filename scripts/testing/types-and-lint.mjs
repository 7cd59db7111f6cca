// Type check of everything, and lint of the files named, in one process with one program: the linter asks the same
// compiler for the same types.
//
// Exit code: 1 when types are wrong, 2 when the linter finds something, 3 for both.
import { join } from 'node:path';
import { ESLint } from 'eslint';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');
const configFile = join(root, 'tsconfig.test.json');

/** Prints as the compiler does; gives whether there was anything. */
function print(diagnostics) {
  const host = { getCurrentDirectory: () => root, getCanonicalFileName: (name) => name, getNewLine: () => '\n' };
  process.stdout.write(ts.formatDiagnostics(diagnostics, host));
  return diagnostics.length > 0;
}

function createProgram() {
  const onUnRecoverableConfigFileDiagnostic = (diagnostic) => print([diagnostic]);
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic };
  const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile(configFile, {}, host);
  print(errors);
  // Rules walk from a node to its parent.
  return ts.createProgram({ rootNames: fileNames, options, host: ts.createCompilerHost(options, true) });
}

/** Lints; gives whether there was anything. Files outside the program have configurations of their own. */
async function lint(program, files) {
  const inProgram = program.getRootFileNames().map((name) => name.slice(root.length + 1));
  const folders = [...new Set(inProgram.map((name) => name.split('/')[0]))];
  const eslint = new ESLint({
    cwd: root,
    warnIgnored: false,
    overrideConfig: {
      files: folders.map((folder) => `${folder}/**/*.ts`),
      languageOptions: { parserOptions: { programs: [program] } },
    },
  });
  const results = await eslint.lintFiles(files);
  const formatter = await eslint.loadFormatter('stylish');
  process.stdout.write(await formatter.format(results));
  return results.some(({ errorCount }) => errorCount > 0);
}

const program = createProgram();
const isWrong = print(ts.getPreEmitDiagnostics(program));
const isFound = await lint(program, process.argv.slice(2));
process.exitCode = (isWrong ? 1 : 0) + (isFound ? 2 : 0);
