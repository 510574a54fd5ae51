import type { z } from 'zod'
import { CatalogFile, type ModelEntry, type ProviderEntry } from './catalog-file.ts'

/** A catalog file: its name, for messages, and its text. */
export interface CatalogSource {
  readonly name: string
  readonly text: string
}

/** A priced model and the day on which its price was read. */
export interface DatedModel {
  readonly entry: ModelEntry
  /** YYYY-MM-DD. */
  readonly asOf: string
}

export interface CheckedCatalog {
  readonly providers: readonly ProviderEntry[]
  readonly models: readonly DatedModel[]
  /** One line each, naming file and field. Empty when the catalog is valid. */
  readonly problems: readonly string[]
}

/**
 * Reads and checks every file of a catalog and combines them. An id may occur once per layer. A later layer, which a
 * deployment mounts, replaces entries with the same id and adds the others.
 */
export function checkCatalog(layers: readonly (readonly CatalogSource[])[]): CheckedCatalog {
  const problems: string[] = []
  const providers = new Map<string, ProviderEntry>()
  const models = new Map<string, DatedModel & { file: string }>()
  let isWhole = true
  for (const layer of layers) {
    const seen = new Map<string, string>()
    for (const { name, text } of layer) {
      const file = readFile(name, text, problems)
      isWhole &&= file !== null
      for (const provider of file?.providers ?? []) {
        if (isFirst(seen, { key: `provider ${provider.id}`, file: name, problems }))
          providers.set(provider.id, provider)
      }
      for (const entry of file?.models ?? []) {
        if (isFirst(seen, { key: `model ${entry.id}`, file: name, problems })) {
          models.set(entry.id, { entry, asOf: file?.as_of ?? '', file: name })
        }
      }
    }
  }
  for (const { entry, file } of models.values()) {
    // The provider may be in the file that could not be read.
    if (!isWhole || providers.has(entry.provider)) continue
    problems.push(`${file}: ${entry.id}: provider "${entry.provider}" is not in any file`)
  }
  return { providers: [...providers.values()], models: [...models.values()], problems }
}

function isFirst(
  seen: Map<string, string>,
  { key, file, problems }: { key: string; file: string; problems: string[] },
): boolean {
  const before = seen.get(key)
  if (before !== undefined) problems.push(`${file}: ${key} is already in ${before}`)
  else seen.set(key, file)
  return before === undefined
}

function readFile(name: string, text: string, problems: string[]): CatalogFile | null {
  const json = parseJson(text)
  if (json === undefined) {
    problems.push(`${name}: is not JSON`)
    return null
  }
  const parsed = CatalogFile.safeParse(json)
  if (parsed.success) return parsed.data
  problems.push(...parsed.error.issues.map((issue) => `${name}: ${describe(issue, json)}`))
  return null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function describe(issue: z.core.$ZodIssue, json: unknown): string {
  const [list, index, ...rest] = issue.path
  const id = typeof index === 'number' ? idAt(json, list, index) : null
  const field = id === null ? issue.path.join('.') : [id, rest.join('.')].filter((part) => part !== '').join(': ')
  return [field, issue.message].filter((part) => part !== '').join(': ')
}

/** The id of an entry that may be invalid, so that a message can name it. */
function idAt(json: unknown, list: PropertyKey | undefined, index: number): string | null {
  if (list !== 'models' && list !== 'providers') return null
  const entry = (json as Record<string, { id?: unknown }[]>)[list]?.[index]
  return typeof entry?.id === 'string' ? entry.id : null
}
