import { referencedName, type Schema } from './openapi.ts'

/** The folder of the pages of types, from the folder of a page of the reference. */
const typesFolder = '../types'

/** A schema as Markdown for a cell of a table: links to named types, `"a" or "b"` for values, `list of …` for arrays. */
export function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = referencedName(schema.$ref)
    return `[${name}](${typesFolder}/${name}.md)`
  }
  const variants = schema.anyOf ?? schema.oneOf
  if (variants !== undefined) return [...new Set(variants.map(typeText))].join(' or ')
  if (schema.const !== undefined) return code(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(code).join(' or ')
  if (schema.type === 'array') return schema.items === undefined ? 'list' : `list of ${typeText(schema.items)}`
  if (schema.properties !== undefined) return `object with ${Object.keys(schema.properties).map(name).join(', ')}`
  if (typeof schema.additionalProperties === 'object' && schema.type === 'object')
    return `object of ${typeText(schema.additionalProperties)}`
  return schema.format ?? [schema.type ?? 'any'].flat().join(' or ')
}

/** Bounds and the default, for a cell of a table; empty when there are none. */
export function limitText(schema: Schema): string {
  const bounded = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema
  const { minimum, exclusiveMinimum, maximum, minLength, maxLength, minItems, maxItems } = bounded
  const limits = [
    ...rangeText('', minimum, maximum),
    ...(exclusiveMinimum === undefined ? [] : [`more than ${exclusiveMinimum}`]),
    ...rangeText(' characters', minLength, maxLength),
    ...rangeText(' items', minItems, maxItems),
    ...(schema.default === undefined ? [] : [`default ${code(schema.default)}`]),
  ]
  return limits.join('; ')
}

function rangeText(unit: string, low: number | undefined, high: number | undefined): readonly string[] {
  const isBound = high !== undefined && Math.abs(high) < Number.MAX_SAFE_INTEGER
  const isFloor = low !== undefined && Math.abs(low) < Number.MAX_SAFE_INTEGER
  if (isFloor && isBound) return [`${low} to ${high}${unit}`]
  if (isBound) return [`at most ${high}${unit}`]
  return isFloor && low > 0 ? [`at least ${low}${unit}`] : []
}

/** Rows of a Markdown table with its head, without columns that are empty. Line breaks and bars in cells are made harmless. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const isUsed = head.map((_, column) => rows.some((row) => row[column] !== ''))
  const line = (cells: readonly string[]) =>
    `| ${cells
      .filter((_, at) => isUsed[at])
      .map(cellText)
      .join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function cellText(text: string): string {
  return text.replaceAll('\n', ' ').replaceAll('|', '\\|')
}

function code(value: unknown): string {
  return `\`${JSON.stringify(value)}\``
}

function name(property: string): string {
  return `\`${property}\``
}
