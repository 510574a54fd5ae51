import { parseSync } from '@swc/core'

/** A statement as a source file has it, with the constants of that file put in their places. */
export interface SqlText {
  /** What it belongs to: a constant of the file, a method or a function. */
  readonly name: string
  readonly text: string
}

/** A node of the syntax tree: what is read of it here. */
interface Node {
  readonly type?: string
  readonly [key: string]: unknown
}

interface Found {
  /** The outermost thing that it is a part of, but for the function that makes a store. */
  readonly name: string
  /** What it is bound to, if anything: what others put in by this name. */
  readonly constant: string | null
  readonly node: Node
}

const begins = /^\s*(?:WITH|SELECT|INSERT INTO|UPDATE|DELETE FROM)\s/

/** Every SQL statement that a file writes as text. What is only a part of others counts as part of those. */
export function sqlTexts(code: string): readonly SqlText[] {
  const found: Found[] = []
  collect(parseSync(code, { syntax: 'typescript', target: 'es2024' }), { name: 'anonymous', constant: null }, found)
  const constants = new Map(
    found.flatMap(({ constant, node }) => (constant === null ? [] : [[constant, node] as const])),
  )
  const parts = new Set(found.flatMap(({ node }) => expressionsOf(node).flatMap(nameOf)))
  return found.flatMap(({ name, constant, node }) => {
    const text = textOf(node, constants, new Set())
    return begins.test(text) && !(constant !== null && parts.has(constant)) ? [{ name, text }] : []
  })
}

type Place = Omit<Found, 'node'>

function collect(node: unknown, place: Place, found: Found[]): void {
  if (Array.isArray(node)) for (const each of node) collect(each, place, found)
  if (node === null || typeof node !== 'object' || Array.isArray(node)) return
  const { type, ...fields } = node as Node
  const here = placeOf(node as Node, place)
  if (type === 'StringLiteral' || type === 'TemplateLiteral') found.push({ ...here, node: node as Node })
  for (const [key, value] of Object.entries(fields)) if (key !== 'span') collect(value, here, found)
}

/** Functions that make a store, and constants that hold statements, leave the name to what is inside them. */
const makesStore = /^(?:create|pg)[A-Z]|^anonymous$|Statements$|^invariants$/

function placeOf(node: Node, { name, constant }: Place): Place {
  const bound = boundTo(node)
  if (bound === null) return { name, constant }
  const isVariable = node.type === 'VariableDeclarator'
  return { name: makesStore.test(name) ? bound : name, constant: isVariable ? bound : null }
}

/** What a declaration, property, method or function is called. */
function boundTo({ type, id, key, identifier }: Node): string | null {
  const named = { VariableDeclarator: id, KeyValueProperty: key, MethodProperty: key, FunctionDeclaration: identifier }
  const bound = named[type as keyof typeof named] as Node | undefined
  return typeof bound?.value === 'string' ? bound.value : null
}

function expressionsOf({ expressions }: Node): readonly Node[] {
  return (expressions as readonly Node[] | undefined) ?? []
}

function nameOf({ type, value }: Node): readonly string[] {
  return type === 'Identifier' && typeof value === 'string' ? [value] : []
}

/** Constants are put in; anything else stays as `${name}`, or `${?}`. */
function textOf(node: Node, constants: ReadonlyMap<string, Node>, within: ReadonlySet<string>): string {
  if (node.type === 'StringLiteral') return String(node.value)
  const quasis = (node.quasis as readonly Node[]).map(({ cooked }) => String(cooked))
  const put = expressionsOf(node).map((expression) => {
    const [name] = nameOf(expression)
    const constant = name === undefined ? undefined : constants.get(name)
    if (name !== undefined && constant !== undefined && !within.has(name)) {
      return textOf(constant, constants, new Set([...within, name]))
    }
    return `\${${name ?? calledIn(expression)}}`
  })
  return quasis.map((text, index) => text + (put[index] ?? '')).join('')
}

/** The function that an expression calls. */
function calledIn({ type, callee }: Node): string {
  return type === 'CallExpression' ? `${nameOf(callee as Node)[0] ?? '?'}()` : '?'
}
