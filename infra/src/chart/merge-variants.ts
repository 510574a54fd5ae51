import { type Fields, isConditional, isExpression, isFields, type Template } from './template.ts'

/** The same part of a manifest with one component. */
export interface Variant {
  readonly component: string
  readonly node: Template | undefined
}

/**
 * Merges a part of a manifest with what components make of it: what a component adds or removes gets a condition.
 *
 * @throws Error when a component changes what is there, or two components add different values: that needs a value of the chart
 */
export function mergeVariants(base: Template, variants: readonly Variant[], at: string): Template {
  const changed = variants.filter(({ node }) => !isEqual(node, base))
  if (changed.length === 0) return base
  if (isPlainFields(base) && changed.every(({ node }) => isPlainFields(node))) return mergeFields(base, variants, at)
  if (Array.isArray(base) && changed.every(({ node }) => Array.isArray(node))) return mergeItems(base, variants, at)
  throw new Error(
    `${at} is changed by ${changed.map(({ component }) => component).join()}: make it a value of the chart`,
  )
}

function mergeFields(base: Fields, variants: readonly Variant[], at: string): Template {
  const fieldOf = (name: string) =>
    variants.map(({ component, node }) => ({ component, node: isPlainFields(node) ? node[name] : undefined }))
  const names = [...new Set([base, ...variants.map(({ node }) => node)].flatMap((it) => Object.keys(it ?? {})))]
  return Object.fromEntries(
    names.map((name) => {
      const field = base[name]
      const all = fieldOf(name)
      const [present, absent] = [
        all.filter(({ node }) => node !== undefined),
        all.filter(({ node }) => node === undefined),
      ]
      if (field === undefined) return [name, { $if: anyOf(present), $then: agreed(present, `${at}.${name}`) }]
      const merged = mergeVariants(field, present, `${at}.${name}`)
      return [name, absent.length === 0 ? merged : { $if: `not (${anyOf(absent)})`, $then: merged }]
    }),
  )
}

/** Lists of equal length are merged item by item; other components may only add items before or after. */
function mergeItems(base: readonly Template[], variants: readonly Variant[], at: string): Template {
  const lists = variants.map(({ component, node }) => ({ component, items: node as readonly Template[] }))
  if (lists.every(({ items }) => items.length === base.length)) {
    return base.map((item, index) =>
      mergeVariants(
        item,
        lists.map(({ component, items }) => ({ component, node: items[index] })),
        `${at}.${index}`,
      ),
    )
  }
  const before: Variant[] = []
  const after: Variant[] = []
  for (const { component, items } of lists) {
    const start = items.findIndex((item) => isEqual(item, base[0]))
    const isAround = start >= 0 && isEqual(items.slice(start, start + base.length), base)
    if (!isAround) throw new Error(`${at} is changed by ${component}, which may only add items before or after`)
    before.push(...items.slice(0, start).map((node) => ({ component, node })))
    after.push(...items.slice(start + base.length).map((node) => ({ component, node })))
  }
  return [...conditionalItems(before), ...base, ...conditionalItems(after)]
}

/** An item that several components add exists once. */
function conditionalItems(added: readonly Variant[]): readonly Template[] {
  const groups = Map.groupBy(added, ({ node }) => JSON.stringify(node))
  return [...groups.values()].map((group) => ({ $if: anyOf(group), $then: agreed(group, 'item') }))
}

function agreed(variants: readonly Variant[], at: string): Template {
  const [first] = variants
  if (first?.node === undefined) throw new Error(`${at} has no value`)
  const isAgreed = variants.every(({ node }) => isEqual(node, first.node))
  if (!isAgreed) throw new Error(`${at} differs between ${variants.map(({ component }) => component).join()}`)
  return first.node
}

/** Condition of Helm: one of the components is part of the installation. */
export function anyOf(components: readonly { readonly component: string }[]): string {
  const enabled = components.map(({ component }) => `(index $.Values "components" "${component}" "enabled")`)
  return enabled.length === 1 ? (enabled[0] ?? '') : `or ${enabled.join(' ')}`
}

const isPlainFields = (node: Template | undefined): node is Fields =>
  isFields(node) && !isExpression(node) && !isConditional(node)

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
