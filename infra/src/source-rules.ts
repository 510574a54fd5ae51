import { isTestFile } from './import-rules.ts'
import { checkOutbound } from './outbound-rules.ts'

/** The longest a file may be. */
const maxLines = 400

/** Where time, ids and randomness come from; everywhere else they are handed in. */
const sourcesOfChance =
  /^(packages\/(service-kit|telemetry|testing|simulated-provider|cli)|infra|bench|test-e2e)\/|\/src\/(start|start-worker|main|worker)\.ts$/
const chance = /\b(Date\.now\(|new Date\(\)|Math\.random\(|randomUUID\()/

/** What shipped code may not do at all, each with why. */
const never: readonly (readonly [RegExp, string])[] = [
  [
    /\$(?:queryRawUnsafe|executeRawUnsafe)\b|\bPrisma\.raw\(/,
    'SQL is written as it is run; values go in as parameters',
  ],
  [/\brejectUnauthorized:\s*false|NODE_TLS_REJECT_UNAUTHORIZED/, 'certificates are checked, whoever shows them'],
  [/(?:[=(,;:]|\breturn)\s*eval\(|\bnew Function\(|['"]node:vm['"]/, 'no text becomes code'],
  [/['"](?:node:)?child_process['"]/, 'a service starts no program'],
]
const shipped = /^(?:services\/|packages\/(?!(?:testing|simulated-provider|cli)\/))/

/** What is wrong with a file's text, one sentence each. */
export function checkSource(file: string, text: string): readonly string[] {
  const problems: string[] = []
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  if (lines > maxLines) problems.push(`${lines} lines; ${maxLines} is the most`)
  if (/\bjest\.(unstable_)?mock(Module)?\(/.test(text)) problems.push('no module mocks; hand a fake in')
  const code = withoutComments(text)
  const free = sourcesOfChance.test(file) || isTestFile(file)
  const found = free ? null : chance.exec(code)
  if (found !== null) problems.push(`${found[1]} must come in through deps`)
  const isShipped = shipped.test(file) && !isTestFile(file)
  const forbidden = isShipped ? never.flatMap(([pattern, why]) => (pattern.test(code) ? [why] : [])) : []
  return [...problems, ...forbidden, ...checkOutbound(file, code)]
}

/** The modules a file imports, as written. */
export function importsOf(text: string): readonly string[] {
  const statements = text.matchAll(/^[ \t]*(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*['"]([^'"]+)['"]/gm)
  const calls = withoutComments(text).matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)
  return [...statements, ...calls].flatMap(([, specifier]) => (specifier === undefined ? [] : [specifier]))
}

/** Good enough to look for words in: a `//` inside a text takes the rest of its line away. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '')
}
