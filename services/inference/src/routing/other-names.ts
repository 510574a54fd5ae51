import type { Catalog } from '../catalog/catalog.ts'

/** Longer names are in no catalog. */
const maxLength = 160

/** The day of a snapshot, as the providers write it, or the size of the context that Claude Code asks for. */
const suffixes = [/\[1m\]$/, /-latest$/, /[-@]20\d{2}-?[01]\d-?[0-3]\d$/, /-20\d{2}-[01]\d$/]

/**
 * The names by which the catalog may know a model whose name it does not have: the id of a model that is also known by
 * the name, and the name without the suffix of a snapshot. `provider:model` is read as `provider/model`, for clients that
 * read a meaning into a slash.
 */
export function otherNames({ catalog, name }: { readonly catalog: Catalog; readonly name: string }): string[] {
  if (name.length > maxLength) return []
  const colon = name.indexOf(':')
  const hasProvider = colon > 0 && catalog.providers.has(name.slice(0, colon))
  const spelled = hasProvider ? `${name.slice(0, colon)}/${name.slice(colon + 1)}` : name
  const plain = suffixes.reduce((shorter, suffix) => shorter.replace(suffix, ''), spelled)
  const candidates = [...new Set([spelled, plain])]
  const known = candidates.flatMap((candidate) =>
    catalog.knownAs(withoutProvider(catalog, candidate)).map(({ id }) => id),
  )
  const ofProvider = candidates.flatMap((candidate) => prefixOf(catalog, candidate) ?? [])
  const fitting = known.filter(
    (id) => ofProvider.length === 0 || ofProvider.some((prefix) => id.startsWith(`${prefix}/`)),
  )
  return [...new Set(fitting), ...candidates.filter((candidate) => candidate !== name)]
}

function withoutProvider(catalog: Catalog, name: string): string {
  const prefix = prefixOf(catalog, name)
  return prefix === null ? name : name.slice(prefix.length + 1)
}

function prefixOf({ providers }: Catalog, name: string): string | null {
  const prefix = name.slice(0, Math.max(0, name.indexOf('/')))
  return providers.has(prefix) ? prefix : null
}
