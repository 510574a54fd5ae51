/** Removes undefined fields of a patch, because Prisma's types do not accept `undefined`. */
export function givenOf<Patch extends object>(
  patch: Patch,
): { [Field in keyof Patch]?: Exclude<Patch[Field], undefined> } {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { [Field in keyof Patch]?: Exclude<Patch[Field], undefined> }
}
