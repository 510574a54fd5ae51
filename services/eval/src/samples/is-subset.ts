type Keyed = Readonly<Record<string, unknown>>

/**
 * Whether a JSON value has all that is expected of it: objects may hold more than is expected, at any depth outside of
 * arrays; arrays and all else are equal.
 */
export function isSubset(expected: unknown, actual: unknown): boolean {
  if (!isObject(expected)) return isEqual(expected, actual)
  return isObject(actual) && hasEach(expected, actual, isSubset)
}

function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) && one.length === other.length && one.every((item, index) => isEqual(item, other[index]))
    )
  }
  if (!isObject(one)) return one === other
  return isObject(other) && Object.keys(one).length === Object.keys(other).length && hasEach(one, other, isEqual)
}

function hasEach(expected: Keyed, actual: Keyed, agree: (one: unknown, other: unknown) => boolean): boolean {
  return Object.keys(expected).every((key) => Object.hasOwn(actual, key) && agree(expected[key], actual[key]))
}

function isObject(value: unknown): value is Keyed {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
