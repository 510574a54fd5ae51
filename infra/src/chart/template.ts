import { stringify } from 'yaml'

/** A value of a manifest, in which parts can be computed by Helm. */
export type Template =
  | string
  | number
  | boolean
  | null
  | Expression
  | Conditional
  | readonly Template[]
  | { readonly [key: string]: Template }

/** The value of an expression of Helm, which prints JSON. */
export interface Expression {
  readonly $helm: string
}

/** A field, an item or an object that exists only under a condition of Helm. */
export interface Conditional {
  readonly $if: string
  readonly $then: Template
}

export type Fields = { readonly [key: string]: Template }

export const isExpression = (node: Template | undefined): node is Expression => isFields(node) && '$helm' in node
export const isConditional = (node: Template | undefined): node is Conditional => isFields(node) && '$if' in node
export const isFields = (node: unknown): node is Fields =>
  typeof node === 'object' && node !== null && !Array.isArray(node)

/** Prints a template as YAML that Helm reads. */
export function printTemplate(node: Template): string {
  return `${linesOf(node).join('\n')}\n`
}

function linesOf(node: Template): readonly string[] {
  if (isConditional(node)) return underCondition(node, linesOf(node.$then))
  if (isExpression(node)) return [`{{ ${node.$helm} }}`]
  if (Array.isArray(node)) return node.length === 0 ? ['[]'] : (node as readonly Template[]).flatMap(itemLines)
  if (isFields(node)) {
    const fields = Object.entries(node)
    return fields.length === 0 ? ['{}'] : fields.flatMap(([name, value]) => fieldLines(name, value))
  }
  return scalarLines(node as string | number | boolean | null)
}

function itemLines(item: Template): readonly string[] {
  if (isConditional(item)) return underCondition(item, itemLines(item.$then))
  const [first, ...others] = linesOf(item)
  return [`- ${first}`, ...others.map(indent)]
}

function fieldLines(name: string, value: Template): readonly string[] {
  if (isConditional(value)) return underCondition(value, fieldLines(name, value.$then))
  const [first = '', ...others] = linesOf(value)
  const key = scalarLines(name)[0]
  return isBlock(value)
    ? [`${key}:`, indent(first), ...others.map(indent)]
    : [`${key}: ${first}`, ...others.map(indent)]
}

/** Whether a value is printed below its name, and not beside it. */
function isBlock(value: Template): boolean {
  if (isExpression(value)) return false
  return Array.isArray(value) ? value.length > 0 : isFields(value) && Object.keys(value).length > 0
}

/** Helm removes the line break before `{{-`. */
function underCondition({ $if }: Conditional, lines: readonly string[]): readonly string[] {
  return [`{{- if ${$if} }}`, ...lines, '{{- end }}']
}

const indent = (line: string) => (line.startsWith('{{- ') ? line : `  ${line}`)

/** Version 1.1 quotes what Helm's parser would read as another type, such as `on`. */
function scalarLines(value: string | number | boolean | null): readonly string[] {
  const isSimple = typeof value !== 'string' || !/^\s|\s$/.test(value.replace(/\n$/, ''))
  const text = isSimple ? stringify(value, { lineWidth: 0, version: '1.1' }).trimEnd() : JSON.stringify(value)
  return text.replaceAll('{{', '{{ "{{" }}').split('\n')
}
