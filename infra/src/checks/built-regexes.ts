import { parseSync } from '@swc/core'
import { runProgram } from '../processes/run-program.ts'
import type { RegexLiteral } from './regex-literals.ts'

/** True when the file builds a regular expression of a text: `new RegExp(…)` or `RegExp(…)`. */
export function buildsRegex(code: string): boolean {
  return code.includes('RegExp(') && isBuilt(parseSync(code, { syntax: 'typescript', target: 'es2024' }))
}

function isBuilt(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(isBuilt)
  if (node === null || typeof node !== 'object') return false
  const { type, callee } = node as { readonly type?: unknown; readonly callee?: { readonly value?: unknown } }
  if ((type === 'NewExpression' || type === 'CallExpression') && callee?.value === 'RegExp') return true
  return Object.values(node).some(isBuilt)
}

export interface BuiltRegex extends RegexLiteral {
  readonly file: string
}

/** A program that imports files and prints the regular expressions that they build while they load. */
const recorder = `
const files = JSON.parse(process.env.FILES)
const built = []
const record = (make) => (target, args, self) => {
  const expression = make(target, args, self)
  const file = files.find((each) => new Error().stack.includes(each))
  if (file !== undefined) built.push({ file, source: expression.source, flags: expression.flags })
  return expression
}
globalThis.RegExp = new Proxy(RegExp, {
  construct: record((target, args, self) => Reflect.construct(target, args, self === RegExp ? target : self)),
  apply: record((target, args) => target(...args)),
})
for (const file of files) await import(process.cwd() + '/' + file)
process.stdout.write('BUILT' + JSON.stringify(built))
process.exit(0)
`

/** The regular expressions that files of the repository build while they load. */
export async function regexesBuiltBy(files: readonly string[]): Promise<readonly BuiltRegex[]> {
  const { output } = await runProgram({
    command: process.execPath,
    args: ['--input-type=module', '--eval', recorder],
    env: { FILES: JSON.stringify(files) },
    signal: new AbortController().signal,
    timeoutMs: 60_000,
  })
  const printed = output.split('BUILT')[1]
  if (printed === undefined) throw new Error(`The files could not be loaded:\n${output}`)
  return JSON.parse(printed) as readonly BuiltRegex[]
}
