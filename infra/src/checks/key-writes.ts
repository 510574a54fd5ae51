import { parseSync } from '@swc/core'

/** Writes of Prisma's client after which an edge may remember what is no longer true. */
const forgets: Readonly<Record<string, RegExp>> = {
  membership: /^(?:update|upsert|delete)/,
  apiKey: /^(?:update|upsert|delete)/,
  user: /^(?:update|delete)/,
  workspace: /^(?:update|delete)/,
}
const sqlWrite = /\b(?:UPDATE|DELETE FROM|TRUNCATE(?: TABLE)?) +"?(?:membership|api_key|app_user|workspace)"?(?![\w"])/

/**
 * Finds writes of keys, memberships, users and workspaces that are not inside a call of `changeKeys`, so that nobody
 * waits until the edges apply them. Each is the call (`membership.update`) or the beginning of the statement.
 */
export function findUnawaitedKeyWrites(code: string): readonly string[] {
  const found: string[] = []
  collect(parseSync(code, { syntax: 'typescript', target: 'es2024' }), found)
  return found
}

type Node = Readonly<Record<string, unknown>>

function collect(node: unknown, found: string[]): void {
  if (Array.isArray(node)) for (const each of node) collect(each, found)
  if (node === null || typeof node !== 'object' || Array.isArray(node)) return
  const { type, callee, value, raw } = node as Node
  if (type === 'CallExpression' && nameOf(callee) === 'changeKeys') return
  if (type === 'CallExpression') found.push(...clientWrite(callee as Node))
  const text = type === 'StringLiteral' ? value : type === 'TemplateElement' ? raw : undefined
  const written = typeof text === 'string' ? sqlWrite.exec(text) : null
  if (written !== null) found.push(written[0])
  for (const each of Object.values(node)) collect(each, found)
}

/** `membership.update` of `db.membership.update(…)`. */
function clientWrite(callee: Node): readonly string[] {
  const method = nameOf(callee?.property)
  const model = nameOf((callee?.object as Node | undefined)?.property)
  if (method === undefined || model === undefined) return []
  return forgets[model]?.test(method) === true ? [`${model}.${method}`] : []
}

function nameOf(node: unknown): string | undefined {
  const { type, value } = (node ?? {}) as Node
  return type === 'Identifier' ? String(value) : undefined
}
