import { type ItemTable, itemStatements } from '@ratchet/work-kit/leases/item-statements'
import { type RunTable, runStatements } from '@ratchet/work-kit/leases/run-statements'
import { parseSync } from '@swc/core'

/** A statement of a source file, with the constants of that file inserted. */
export interface SqlText {
  /** Name of the constant, method or function that holds it. */
  readonly name: string
  readonly text: string
}

/** The part of a syntax tree's node that is read here. */
interface Node {
  readonly type?: string
  readonly [key: string]: unknown
}

interface Found {
  /** Name of the outermost declaration around it, except the function that creates a store. */
  readonly name: string
  /** Name of the constant that holds it, if any: other texts may insert it by this name. */
  readonly constant: string | null
  readonly node: Node
}

const begins = /^\s*(?:WITH|SELECT|INSERT INTO|UPDATE|DELETE FROM)\s/

/** The functions of work-kit that write statements, by the name of the function that takes the table's description. */
const statementWriters: Readonly<Record<string, (table: object) => Readonly<Record<string, string>>>> = {
  createPgItems: (table) => itemStatements(table as ItemTable),
  createPgRunLeases: (table) => runStatements(table as RunTable),
}

/**
 * Finds every SQL statement of a file: written as text, or by a function of work-kit from a description. Text that is
 * only inserted into other texts is not a statement of its own.
 *
 * @throws Error when a description is not a literal in the call, because its statements cannot be read then
 */
export function sqlTexts(code: string): readonly SqlText[] {
  const found: Found[] = []
  collect(parseSync(code, { syntax: 'typescript', target: 'es2024' }), { name: 'anonymous', constant: null }, found)
  const constants = new Map(
    found.flatMap(({ constant, node }) => (constant === null ? [] : [[constant, node] as const])),
  )
  const parts = new Set(found.flatMap(({ node }) => expressionsOf(node).flatMap(nameOf)))
  return found.flatMap(({ name, constant, node }): readonly SqlText[] => {
    if (node.type === 'CallExpression') return writtenBy(node, constants)
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
  if (isText(node as Node) || (type === 'CallExpression' && writerOf(node as Node) !== undefined)) {
    found.push({ ...here, node: node as Node })
  }
  for (const [key, value] of Object.entries(fields)) if (key !== 'span') collect(value, here, found)
}

function isText({ type }: Node): boolean {
  return type === 'StringLiteral' || type === 'TemplateLiteral'
}

function writerOf({ callee }: Node) {
  const [name] = nameOf(callee as Node)
  return name !== undefined && Object.hasOwn(statementWriters, name) ? statementWriters[name] : undefined
}

/** The statements that work-kit writes for a call, by their names in work-kit. */
function writtenBy(call: Node, constants: ReadonlyMap<string, Node>): readonly SqlText[] {
  const values = (call.arguments as readonly { readonly expression: Node }[]).map(({ expression }) => expression)
  const description = values.find(({ type }) => type === 'ObjectExpression')
  if (description === undefined) throw new Error('the description of a table must be a literal in the call')
  const statements = writerOf(call)?.(describedBy(description, constants)) ?? {}
  return Object.entries(statements).map(([name, text]) => ({ name, text }))
}

/** The value of an object literal whose fields are texts, names of texts, or objects of the same kind. */
function describedBy(node: Node, constants: ReadonlyMap<string, Node>): object {
  const fields = (node.properties as readonly Node[]).map((property) => {
    const name = property.type === 'Identifier' ? String(property.value) : boundTo(property)
    const value = property.type === 'KeyValueProperty' ? (property.value as Node) : property
    if (name === null) throw new Error(`a description of a table has a ${property.type}`)
    if (value.type === 'ObjectExpression') return [name, describedBy(value, constants)]
    const text = value.type === 'Identifier' ? constants.get(String(value.value)) : value
    if (text === undefined || !isText(text))
      throw new Error(`field ${name} of the description of a table must be a text of the same file`)
    return [name, textOf(text, constants, new Set())]
  })
  return Object.fromEntries(fields)
}

/** Functions that create a store, and constants that hold statements: a statement is named after a declaration inside. */
const makesStore = /^(?:create|pg)[A-Z]|^anonymous$|Statements$|^invariants$/

function placeOf(node: Node, { name, constant }: Place): Place {
  const bound = boundTo(node)
  if (bound === null) return { name, constant }
  const isVariable = node.type === 'VariableDeclarator'
  return { name: makesStore.test(name) ? bound : name, constant: isVariable ? bound : null }
}

/** The name of a declaration, property, method or function. */
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

/** Inserts constants; any other expression stays as `${name}`, or `${?}`. */
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

/** Name of the function that an expression calls, with `()`. */
function calledIn({ type, callee }: Node): string {
  return type === 'CallExpression' ? `${nameOf(callee as Node)[0] ?? '?'}()` : '?'
}
