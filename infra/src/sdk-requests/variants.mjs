import { readTypes } from './read-types.mjs'

/*
 * Values of types of TypeScript: for a type, the smallest value that it allows, and one value for each optional member and
 * each variant of a union inside it. It runs where TypeScript 5 is installed, whose API the compiler here does not have.
 */

/** How deep the members of members are varied. A deeper member has its smallest value. */
const maxDepth = 7
/** How deep the smallest value of a type may be that contains itself. */
const maxNesting = 12

/**
 * @param {import('typescript')} ts
 * @param {{ checker: import('typescript').TypeChecker, sample: (path: readonly string[], kind: string) => unknown }} options
 *   `sample` may give a value for a text or a number by its place; undefined means the usual one
 */
export function createVariants(ts, { checker, sample }) {
  const { isText, isNothing, variantsOf, plainValue, elementOf, membersOf } = readTypes(ts, checker, sample)

  function smallest(type, path, depth = 0) {
    const given = sample(path, 'any')
    if (given !== undefined) return given
    const plain = plainValue(type, path)
    if (plain !== null) return plain.value
    if (depth > maxNesting) return {}
    if (type.isUnion()) {
      const usable = type.types.filter((each) => !isNothing(each))
      // The order of a union's types is not that of the declaration: a message is one of the user, if it may be.
      const usual = usable.find((each) => each.value === 'user') ?? usable.find(isText)
      return smallest(usual ?? usable[0] ?? type.types[0], path, depth + 1)
    }
    const element = elementOf(type)
    if (element !== null) return [smallest(element, [...path, '0'], depth + 1)]
    const required = membersOf(type).filter(({ isOptional }) => !isOptional)
    return Object.fromEntries(
      required.map((member) => [member.name, smallest(member.type, [...path, member.name], depth + 1)]),
    )
  }

  /** @returns {readonly { value: unknown, what: string }[]} each differs from the smallest value in one place */
  function variants(type, path, depth = 0, seen = new Set()) {
    const given = sample(path, 'any')
    if (given !== undefined) return [{ value: given, what: '' }]
    const plain = plainValue(type, path)
    if (plain !== null) return [{ value: plain.value, what: shown(plain.value) }]
    if (type.isUnion()) return variantsOf(type).flatMap((each) => variants(each, path, depth, seen))
    const element = elementOf(type)
    if (element === null) return ofObject(type, path, depth, seen)
    const inside = variants(element, [...path, '0'], depth + 1, seen)
    return inside.map(({ value, what }) => ({ value: [value], what: `[]${what}` }))
  }

  function ofObject(type, path, depth, seen) {
    const base = smallest(type, path)
    if (typeof base !== 'object' || base === null) return [{ value: base, what: '' }]
    const kind = [base.type, base.role].find((each) => typeof each === 'string')
    const label = kind === undefined ? '' : `<${kind}>`
    if (depth > maxDepth || seen.has(type)) return [{ value: base, what: label }]
    const inner = new Set([...seen, type])
    const own = membersOf(type).flatMap(({ name, type: member }) =>
      variants(member, [...path, name], depth + 1, inner)
        .filter(({ value }) => JSON.stringify(value) !== JSON.stringify(base[name]))
        .map(({ value, what }) => ({ value: { ...base, [name]: value }, what: `${label}.${name}${what}` })),
    )
    return [{ value: base, what: label }, ...own]
  }

  return { variants, membersOf }
}

function shown(value) {
  if (typeof value === 'object') return ''
  return typeof value === 'string' && value.length >= 40 ? '' : `=${value}`
}
