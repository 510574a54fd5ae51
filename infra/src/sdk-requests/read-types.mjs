/**
 * Reads the types of a program.
 *
 * @param {import('typescript')} ts
 * @param {import('typescript').TypeChecker} checker
 * @param {(path: readonly string[], kind: string) => unknown} sample a value by its place; undefined means the usual one
 */
export function readTypes(ts, checker, sample) {
  const { TypeFlags, SymbolFlags } = ts
  const has = (type, flags) => (type.flags & flags) !== 0

  /** `string & {}`, which declares that other texts are allowed beside the literals of a union. */
  const isOpenText = (type) => type.isIntersection() && type.types.some((each) => has(each, TypeFlags.String))

  return {
    isText: (type) => has(type, TypeFlags.String),
    isNothing: (type) => has(type, TypeFlags.Null | TypeFlags.Undefined | TypeFlags.Void | TypeFlags.Never),

    /** The types of a union that a value may have. */
    variantsOf: (type) => type.types.filter((each) => !has(each, TypeFlags.Undefined) && !isOpenText(each)),

    /** @returns the value of a type without members; null for another type */
    plainValue(type, path) {
      if (isOpenText(type) || has(type, TypeFlags.String | TypeFlags.TemplateLiteral))
        return { value: sample(path, 'string') ?? 'text' }
      if (has(type, TypeFlags.Null)) return { value: null }
      if (type.isStringLiteral() || type.isNumberLiteral()) return { value: type.value }
      if (has(type, TypeFlags.BooleanLiteral)) return { value: checker.typeToString(type) === 'true' }
      if (has(type, TypeFlags.Number)) return { value: sample(path, 'number') ?? 1 }
      return has(type, TypeFlags.Unknown | TypeFlags.Any | TypeFlags.NonPrimitive) ? { value: {} } : null
    },

    /** @returns the type of the elements of a list; null for another type */
    elementOf: (type) =>
      checker.isArrayType(type) || checker.isTupleType(type) ? checker.getTypeArguments(type)[0] : null,

    membersOf: (type) =>
      checker.getPropertiesOfType(type).map((symbol) => ({
        name: symbol.name,
        isOptional: (symbol.flags & SymbolFlags.Optional) !== 0,
        type: checker.getTypeOfSymbol(symbol),
      })),
  }
}
